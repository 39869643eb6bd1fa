"""Files of examples: read, checked and written."""
