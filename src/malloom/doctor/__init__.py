"""What of a machine and of a program stands in malloom's way."""
