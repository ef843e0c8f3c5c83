"""What a session may reach, take and keep secret."""
