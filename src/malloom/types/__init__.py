"""The types of heap objects, from debug information: what a call site makes, and the fields of that."""
