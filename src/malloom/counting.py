"""Numbers with their nouns, as people read them."""


def counted(number: int, what: str, ending: str = "s") -> str:
    """A number and its noun, in the plural where it is not one."""
    return f"{number:,} {what}{'' if number == 1 else ending}"
