"""Named queries: one function for each SQL statement on metadata.

All SQL that the storeys above the metastore need is here, except for reads of versioned tables, which belong
to `forklake.metastore.visibility`. Here is the rest: heads, the list of catalogs, snapshots, options, files
that wait for deletion, and counts over the whole lake.
"""
