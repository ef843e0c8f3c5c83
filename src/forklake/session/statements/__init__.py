"""What each statement does, by kind."""
