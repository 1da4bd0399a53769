"""The one way a command fails: a line that says what is wrong and what to do."""


class CommandError(Exception):
    """A failure the user can act on; printed as one line.

    `status` is the exit status: 1 for a failure, 2 for bad use.
    """

    def __init__(self, problem: str, *, remedy: str = "", status: int = 1) -> None:
        super().__init__(f"{problem}; {remedy}" if remedy else problem)
        self.status = status


class UsageProblem(CommandError):
    """The command was called in a way that cannot work: exit status 2."""

    def __init__(self, problem: str, *, remedy: str = "") -> None:
        super().__init__(problem, remedy=remedy, status=2)
