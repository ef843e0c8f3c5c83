"""SQL sessions: catalogs attached side by side, transactions, and statements run on metadata and on Spark."""
