"""Text without I/O: tokens, sentences, chunks, structure, names."""
