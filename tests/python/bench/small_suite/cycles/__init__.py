"""The suite `cycles`: how little it takes to add one. The tests put it beside malloom's own."""
