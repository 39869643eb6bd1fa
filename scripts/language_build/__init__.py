"""Data and models of all languages: declarations, sources, cleaning, splits, training."""
