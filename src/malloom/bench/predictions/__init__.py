"""The suite predictions."""
