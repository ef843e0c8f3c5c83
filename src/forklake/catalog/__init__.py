"""Versions of a catalog: what a commit may change, and what stands in its way."""
