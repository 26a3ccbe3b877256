"""Workflows that find: one retriever a file."""
