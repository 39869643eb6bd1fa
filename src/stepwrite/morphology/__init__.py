"""Lexicon, cells and paradigms: what is known about the words of a language."""
