"""Prompts: text, schema and parser of each in one file."""
