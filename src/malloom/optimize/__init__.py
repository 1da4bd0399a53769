"""From a program to a plan that makes it faster, with a verdict, or to none."""
