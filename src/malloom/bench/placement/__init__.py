"""The suite `placement`: tables 5.1 to 5.14 of Cyll's thesis beside today's, and what malloom must reach."""
