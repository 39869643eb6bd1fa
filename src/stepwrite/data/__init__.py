"""Reading, checking and writing files of examples."""
