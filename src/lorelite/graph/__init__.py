"""Graph algorithms on plain Python values: no I/O, no SQL."""
