"""Versions of a catalog: its states, commits, conflicts and scan plans."""
