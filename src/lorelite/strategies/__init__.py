"""Workflows that turn a question into an answer."""
