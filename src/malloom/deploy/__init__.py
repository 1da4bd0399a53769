"""What a production host needs to run a program with a plan."""
