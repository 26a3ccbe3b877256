"""The SQLite file: the only place that holds SQL."""
