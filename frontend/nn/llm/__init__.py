"""What language models share: caches of keys and values, rotary position embeddings."""
