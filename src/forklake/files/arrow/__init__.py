"""Arrow arrays of every type, beyond what PyArrow does by itself."""
