"""Rows read by PyArrow in this process: on the driver, or in a Spark task.

Nothing here imports PySpark.
"""
