"""Rows are read, computed and written by an engine (`engine`): Spark (`spark`), or this process if small (`local`)."""
