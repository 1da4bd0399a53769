"""Text from outside, as a terminal may have it."""


def printable(text: str) -> str:
    """The text with what a terminal would obey, and what is no text at all, made visible.

    Bytes of a name that are no UTF-8 become \\xNN, halves of characters as JSON may have them \\uNNNN.
    """
    try:
        known = text.encode(errors="surrogateescape").decode(errors="backslashreplace")
    except UnicodeEncodeError:
        known = text.encode(errors="backslashreplace").decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in known)
