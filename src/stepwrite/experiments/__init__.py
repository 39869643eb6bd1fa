"""Published tables as definition files, and their reproduction."""
