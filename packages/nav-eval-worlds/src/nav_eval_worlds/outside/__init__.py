"""What is seen through the windows: sky, ground, trees, streets and the buildings opposite."""
