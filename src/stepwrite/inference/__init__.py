"""Trained networks in NumPy: encoding, search, voting."""
