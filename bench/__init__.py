"""Runners that measure Lorelite on data given by path: each prints a table and, last, one JSON line."""
