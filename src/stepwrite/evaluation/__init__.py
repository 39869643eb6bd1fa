"""Scores, significance tests and the rule baseline."""
