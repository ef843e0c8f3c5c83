"""What the names of a statement mean: attachments, objects, frames."""
