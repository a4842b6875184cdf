"""What makes an episode harder: of the body, of the pictures, of the pose, of the words."""
