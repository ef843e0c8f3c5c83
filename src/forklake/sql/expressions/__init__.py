"""Expressions: names, operators, casts and aggregates, each bound to typed Spark SQL."""
