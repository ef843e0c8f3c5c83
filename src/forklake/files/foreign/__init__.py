"""Files that others wrote: read, or adopted as files of a table."""
