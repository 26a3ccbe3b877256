"""Search algorithms: pure, no I/O, no SQL."""
