"""Operations: one verb for each module, shared by the Python API, SQL and the command line."""
