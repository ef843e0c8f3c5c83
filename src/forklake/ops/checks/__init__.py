"""Checks of a lake: `fsck`."""
