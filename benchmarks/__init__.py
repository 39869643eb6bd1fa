"""How fast stepwrite is, beside others: `python -m benchmarks --data DIR`."""
