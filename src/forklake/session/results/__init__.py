"""What statements return, and how it is shown."""
