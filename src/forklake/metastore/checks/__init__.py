"""Checks of the metadata: what must hold between rows, as queries for what breaks it.

docs/spec/fsck.md has the rules.
"""
