"""Permitted types of nodes and edges: what a manifest says, whether it holds together, and what fits it."""
