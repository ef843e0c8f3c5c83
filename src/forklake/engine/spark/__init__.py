"""Spark as the engine: `spark_engine` is what the storeys above are given."""
