"""The entry point: finds the command, runs it, and turns its end into a line or two and an exit status."""

import contextlib
import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from io import TextIOWrapper

import click

from cli.command import DebugFlag
from cli.words import printable
from sim.errors import BrokerError, FourfoldError, SpecError, UnknownName

COMMANDS = (
    "games",
    "bots",
    "formats",
    "run",
    "submit",
    "tournament",
    "up",
    "worker",
    "runs",
    "watch",
    "cancel",
    "resume",
    "show",
    "replay",
    "verify",
    "bench",
)

DONE, AT_FAULT, USAGE, OUT_OF_REACH, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143


class Terminated(KeyboardInterrupt):
    """SIGTERM came: a command ends as it does after Ctrl-C."""


@contextlib.contextmanager
def _heeding_sigterm() -> Iterator[None]:
    """Raise Terminated in this block when SIGTERM comes."""

    def terminate(*_: object) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():  # Signals are the main thread's alone.
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Commands(click.Group):
    """The group of all commands, each a module that is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"cli.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first word names, or say which one is near."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(str(UnknownName.among("command", args[0], COMMANDS)), ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, invoke_without_command=True, params=[DebugFlag()])
@click.version_option(package_name="fourfold", message="%(prog)s %(version)s")
@click.pass_context
def fourfold(ctx: click.Context) -> None:
    """Plays games with hidden information, millions of times: who wins, how long it takes, how sure that is.

    A run is a folder of results, ./runs/NAME unless --out or FOURFOLD_RUNS says otherwise. The same job gives
    the same results, cell for cell.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `fourfold` with the words of a command line, by default this process's, and return its exit status.

    0 done, 1 the job or run is at fault, 2 wrong use of the command line, 3 a service is out of reach, 130
    interrupted, 143 terminated. Nothing that is raised leaves this function; with `--debug` the traceback is printed.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    # A job that is started with closed outputs runs all the same.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # A dash that a terminal cannot show is no reason to stop.
    try:
        with _heeding_sigterm():
            status = fourfold.main(words, prog_name="fourfold", standalone_mode=False)
            sys.stdout.flush()
    except BaseException as error:
        if "--debug" in words:
            traceback.print_exc()
        return _report(error)
    return status if isinstance(status, int) else DONE


def _report(error: BaseException) -> int:
    """Print what ended a command and return the exit status for it."""
    match error:
        case SystemExit() | BrokenPipeError():
            # Whoever read the output has enough of it.
            _close_output()
            return AT_FAULT
        case Exception(__cause__=KeyboardInterrupt() as cause):  # It came while a class was made, in an import.
            return _report(cause)
        case KeyboardInterrupt() | click.Abort():
            if isinstance(error.__cause__ or error, Terminated):  # Click raises an Abort of its own in its place.
                _say("terminated")
                return TERMINATED
            _say("interrupted")
            return INTERRUPTED
        case click.UsageError():
            _say(error.format_message())
            if error.ctx is not None and not isinstance(error.__cause__, SpecError):
                _print(f"Try '{error.ctx.command_path} --help'.")
            return USAGE
        case click.ClickException():
            _say(error.format_message())
            return AT_FAULT
        case BrokerError():
            _say(str(error))
            return OUT_OF_REACH
        case FourfoldError():
            _say(str(error))
            return AT_FAULT
        case OSError():
            # Standard output on a full disk, say; what is still buffered would raise it again.
            _close_output()
            _say(str(error))
            return AT_FAULT
    _say(f"internal error: {type(error).__name__}: {' '.join(str(error).split())}; run with --debug")
    return AT_FAULT


def _close_output() -> None:
    """Let standard output go nowhere, so that what is still buffered raises nothing at the end."""
    with contextlib.suppress(OSError):  # a test's standard output may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(message: str) -> None:
    """Print a message under the program's name, in two lines at most, whatever was quoted in it."""
    first, *rest = message.split("\n")
    _print(f"fourfold: {first}")
    if rest:
        _print(" ".join(rest))


def _print(line: str) -> None:
    """Print on standard error."""
    click.echo(printable(line), err=True)
