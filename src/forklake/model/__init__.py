"""Frozen values that all storeys share; standard library only."""
