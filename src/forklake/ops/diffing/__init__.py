"""The parts of a diff: changes of objects, changes of files, counts of rows."""
