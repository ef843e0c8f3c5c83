"""Plain DuckLake databases: export, import, and their tables of one catalog."""
