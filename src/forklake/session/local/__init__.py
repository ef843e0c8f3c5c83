"""Queries that this process computes, and what they read."""
