"""Checks of the metadata: rules, as queries for what breaks them.

docs/spec/fsck.md has the rules.
"""
