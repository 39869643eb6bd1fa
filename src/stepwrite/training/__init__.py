"""Training, the only part of stepwrite that imports torch."""
