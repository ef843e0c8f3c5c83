"""Parquet files without Spark: layout, statistics, values as text, partition values, encryption."""
