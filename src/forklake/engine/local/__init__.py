"""Rows read by PyArrow in this process: on the driver, or in a Python task of Spark. Imports no PySpark."""
