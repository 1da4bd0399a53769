"""What a recorded program did with its heap, in one file for each format."""
