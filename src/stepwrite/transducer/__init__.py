"""Alignments, actions and oracles: lemma to form as a transition system."""
