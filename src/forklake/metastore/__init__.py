"""The metadata database: one implementation, and a small dialect for each product."""
