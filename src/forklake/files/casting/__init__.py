"""Values as text and in other types, exactly as DuckDB casts them."""
