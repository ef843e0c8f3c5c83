"""Catalogs: made, forked, listed, limited and ended."""
