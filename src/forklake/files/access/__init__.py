"""Where files lie: directories, object stores, credentials and keys."""
