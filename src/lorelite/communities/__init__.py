"""Workflows on communities of entities: clustering, and reports on what is clustered."""
