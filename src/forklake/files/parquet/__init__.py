"""Data files, delete files, their footers and statistics."""
