"""Places where a knowledge graph may be kept: each a graph store, a vector store or a key-value store."""
