"""Morphological inflection with hard monotonic attention: lemma + features -> form."""

__version__ = "0.1.0"
