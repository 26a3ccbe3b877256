"""Workflows that build a knowledge graph from documents: inserting, and the processors that run on what is inserted."""
