"""The suite oracle."""
