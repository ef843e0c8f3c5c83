"""A lake as a whole: opened, upgraded, moved, and what work on it needs."""
