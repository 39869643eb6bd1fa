"""Inflection over HTTP: the application, its limits, its batches, its page."""
