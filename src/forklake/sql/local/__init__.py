"""Queries for the in-process engine, and which mean the same on both engines."""
