"""The table of fields: how a recorded run used each field of each kind of object."""
