"""Inflection over HTTP: the application, its limits, batching and the demo page."""
