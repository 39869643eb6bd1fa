"""Published tables as files, and what it takes to measure them again."""
