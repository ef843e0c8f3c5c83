"""All verbs, each with its faces in Python, in SQL and on the command line.

A face is what there is to call, or the reason why there is nothing. A test compares the faces with the public
methods, the statements and functions of SQL, and the commands, in both directions.
"""
