"""Types of heap objects as debug information tells them: for how many accesses, and which can be checked."""
