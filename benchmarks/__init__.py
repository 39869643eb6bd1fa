"""The speed of stepwrite compared with others: `python -m benchmarks --data DIR`."""
