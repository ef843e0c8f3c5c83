"""The connector: tables of a lake as a Spark data source.

Spark reads, writes and streams them by name, as format ``forklake``.
"""
