"""What makes an episode harder, by name: of the body, of the pictures, of the pose, of the words."""
