"""The connector: lakes as a data source of Spark, for reading, writing and streaming by name."""
