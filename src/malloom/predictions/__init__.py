"""What the simulation says beforehand that a layout will gain: of the time, of the waiting, and where."""
