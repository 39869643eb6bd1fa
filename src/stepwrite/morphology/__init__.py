"""Lexicon, cells and paradigms: what is known of a language's words."""
