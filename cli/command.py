"""What every command of `fourfold` has: the flag `--debug`, and examples at the end of its help."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from sim.errors import SpecError


class DebugFlag(click.Option):
    """The flag `--debug`; `cli.main` looks for it among the words, for an error may come before parsing."""

    def __init__(self) -> None:
        text = "Show the traceback of an error."
        super().__init__(["--debug"], is_flag=True, expose_value=False, help=text)


class Command(click.Command):
    """A command that ends its help with examples, one line each."""

    def __init__(self, *arguments: Any, examples: Sequence[str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples
        self.params.append(DebugFlag())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are, unwrapped, so that they can be copied."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"  {example}\n")


@contextmanager
def from_command_line() -> Iterator[None]:
    """Count what is not allowed in this block as a wrong use of the command line."""
    try:
        yield
    except SpecError as error:
        raise click.UsageError(str(error)) from error
