"""Dumps: what namespaces hold, written out, read back, and read from other programs."""
