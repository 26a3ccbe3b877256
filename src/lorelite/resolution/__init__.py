"""Workflows on entities that are one thing under several names."""
