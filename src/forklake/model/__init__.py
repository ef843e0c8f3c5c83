"""Frozen values that every storey speaks; standard library only."""
