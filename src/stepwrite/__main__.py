"""`python -m stepwrite` is the same as `stepwrite`."""

from stepwrite.cli import main

main()
