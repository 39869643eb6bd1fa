"""Fuzzing: hostile input of four kinds, which must end in a clear error or in a result.

    python -m scripts.fuzz                      # a few seconds for each target
    python -m scripts.fuzz --full --jobs 2      # the campaign of results/fuzz.json
    python -m scripts.fuzz rows --count 100000 --seed 7

A target is a module here with `main(count, seed)`, which tries so many inputs, prints a line with
its figures and returns the number of failures.
"""
