"""What outlives the server: copies to restore it from, and what is published."""
