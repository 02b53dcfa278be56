"""Text of others, made fit for the terminal."""


def printable(text: str) -> str:
    """Show what a terminal could take for a command, in text that anybody may have written, as an escape."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
