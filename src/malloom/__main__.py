"""`python -m malloom` is the command `malloom`."""

from malloom.commands.main import main

main()
