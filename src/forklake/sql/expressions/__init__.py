"""Expressions of all kinds, bound to typed Spark SQL."""
