"""General helpers: files, optional packages, parameters, memory, hashing of bits."""
