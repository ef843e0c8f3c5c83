"""SQL text turned into what the storeys below understand."""
