"""What makes an episode harder, by name."""
