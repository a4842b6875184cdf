"""Episodes on generated worlds: navigation by instruction, object, image, instance and point."""
