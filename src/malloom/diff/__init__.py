"""What differs between two recordings of a program, or of two builds of it; and limits on that."""
