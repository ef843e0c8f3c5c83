"""Upkeep: expiry, clean-up, compaction, and what is due."""
