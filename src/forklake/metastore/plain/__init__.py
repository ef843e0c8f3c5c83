"""Plain DuckLake databases: read for an import, written by an export. The only place that opens them."""
