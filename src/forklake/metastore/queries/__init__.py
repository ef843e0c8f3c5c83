"""Named queries: all SQL on metadata that those above the metastore need, one function for each statement.

Rows of versioned tables are read by `forklake.metastore.visibility` alone; here is the rest: heads, the list of
catalogs, snapshots, options, files that wait for deletion, and counts over the whole lake.
"""
