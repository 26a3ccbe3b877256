"""Workflows that take documents in."""
