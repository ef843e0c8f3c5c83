"""The Spark engine; `spark_engine` implements the protocol."""
