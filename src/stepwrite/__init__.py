"""Morphological inflection with hard monotonic attention: lemma + features -> form."""

__version__ = "0.2.0"
