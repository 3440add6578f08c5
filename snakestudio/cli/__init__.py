"""The command line: `snakestudio [SCENE]`, `snakestudio run SCENE`, `snakestudio check SCENE...` and more.

Everything heavy is imported by the command that needs it, so that `--help` is instant.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from snakestudio import heap, processor
from snakestudio._version import __version__
from snakestudio.cli.ending import EndRequest, cleaning_up, silence_stdout
from snakestudio.cli.notices import notices_for_users
from snakestudio.cli.standard_streams import complete_standard_streams
from snakestudio.cli.terminal import print_error
from snakestudio.errors import PhysicsError, PluginRuntimeError, SnakeStudioError, UsageError
from snakestudio.paths import (
    bundled_scenes,
    find_scene,
    is_bare_name,
    set_matplotlib_folder,
    temporary_dir,
)
from snakestudio.text import capitalized, listing, quoted

__all__ = ["COMMANDS", "main", "overview", "parser_of"]

COMMANDS = {
    "run": ("run", "run a scene without a window, and write CSV, HDF5, run file and video"),
    "export": ("export", "write a recorded run as CSV, HDF5, MCAP, video or figures"),
    "check": ("check", "list every problem in scene files"),
    "plan": ("plan", "draw the plan of a scene to scale, as SVG, PNG or PDF"),
    "figures": ("figures", "reproduce the figures of a paper"),
    "scenes": ("scenes", "list the bundled scenes"),
    "gaits": ("gaits", "list the gaits of the library"),
    "runs": ("runs", "list, rename, tag and delete saved runs"),
    "compare models": ("compare_models", "run a scene in several models and compare the results"),
    "compare experiment": ("compare_experiment", "compare a run with motion capture"),
    "compare chain": ("compare_chain", "compare chains of links with a continuous body"),
    "fit": ("fit", "fit scene values to measured runs of the robot"),
    "fit-strain": ("fit_strain", "make a scene with a continuous body from a chain's gait"),
    "study new": ("study_new", "create the file of a study of a scene"),
    "study run": ("study_run", "run a study, or continue one"),
    "study resume": ("study_resume", "continue a study that was started"),
    "study status": ("study_status", "show the progress of a study and its best points"),
    "study check-step": (
        "study_check_step",
        "check how far a point of a study depends on the time step",
    ),
    "study export": (
        "study_export",
        "write the results of a study as CSV, HDF5 or Parquet, or draw them",
    ),
    "study list": ("study_list", "list the studies in a folder"),
    "study worker": ("study_worker", "compute for studies and fits of another process"),
    "diff": ("diff", "list how two scenes differ"),
    "import-obstacles": (
        "import_obstacles",
        "add the circles of a CSV or an SVG drawing to a scene",
    ),
    "import-robot": ("import_robot", "make a scene of the robot in a URDF, SDF or MJCF file"),
    "export-model": ("export_model", "write a scene's robot and world as MJCF, URDF or SDF"),
    "listen": ("listen", "show decoded traffic from a robot on its CAN bus, without sending"),
    "drive": ("drive", "drive a robot on CAN with a scene's gait or controller"),
    "emulate": ("emulate", "emulate a profile's robot on a CAN bus"),
    "profile": ("profile", "list, check, show and create robot profiles"),
    "bridge ros2": (
        "bridge_ros2",
        "connect a simulation or a robot to ROS 2, where rclpy is installed",
    ),
    "remote": ("remote", "control a window that was started with --remote"),
    "plugin new": (
        "plugin_new",
        "create a plug-in from a template: a controller, a gait, a formulation or another kind",
    ),
    "plugin trust": (
        "plugin_trust",
        "trust a plug-in or a folder of plug-ins, so that scenes can run them",
    ),
    "plugin list": ("plugin_list", "list trusted and installed plug-ins"),
    "plugin forget": ("plugin_forget", "stop trusting a plug-in or a folder"),
    "completion": ("completion", "print the script that completes commands in bash, zsh or fish"),
    "gui": ("gui", "open the window (the default)"),
}
"""Module and short description of each command, by the words that users type."""

_OWN_ENDING = ("gui", "emulate")
"""Commands that run until they are stopped, and handle signals themselves."""

_WITHOUT_QUIET = ("gui", "completion")
"""Commands that have no messages to leave out."""

_WITH_PLUGINS = frozenset(
    (
        "run",
        "export",
        "plan",
        "figures",
        "compare models",
        "compare experiment",
        "compare chain",
        "fit",
        "fit-strain",
        "study new",
        "study run",
        "study resume",
        "study check-step",
        "study export",
        "export-model",
        "import-robot",
        "import-obstacles",
        "drive",
        "emulate",
        "gui",
    )
)
"""Commands that run scenes, or read them to do more than check them."""

_HIDDEN = {
    "warm-up": "warm_up",
    "link-worker": "link_worker",
    "number-text": "number_text",
}

_NO_CURRENT_FOLDER = "The current folder no longer exists. Change to another folder first."

_NO_TEMPORARY_FOLDER = (
    "There is no writable folder for temporary files. "
    "Free some space, or set TMPDIR to a writable folder."
)


_EPILOG = """Without a command, the window opens: snakestudio [SCENE].
SCENE is a file or a name: NAME.toml in the current folder, or the bundled
scene NAME ('snakestudio scenes' lists them)."""


class Parser(argparse.ArgumentParser):
    """Argument parser that suggests the nearest known word for an unknown one."""

    @property
    def arguments(self) -> tuple[argparse.Action, ...]:
        """All options and arguments, in the order of the help."""
        return tuple(self._actions)

    def has_option(self, name: str) -> bool:
        """Whether an option such as "-q" is declared."""
        return name in self._option_string_actions

    def error(self, message: str) -> NoReturn:
        text = capitalized(message)
        self.refuse(f"{text}{self._meant(message)}; see '{self.prog} --help'.")

    def refuse(self, sentence: str) -> NoReturn:
        """Exit with code 2 and a message."""
        print_error(sentence)
        self.exit(2)

    def _meant(self, message: str) -> str:
        """The nearest option or choice to the one that a message of argparse rejects, as a question."""
        if unknown := re.match(r"unrecognized arguments: (--?[\w-]+)", message):
            known = [option for option in self._option_string_actions if option.startswith("--")]
            near = nearest(unknown[1], known)
        elif wrong := re.match(
            r"argument .*: invalid choice: '(.*)' \(choose from (.*)\)", message, re.DOTALL
        ):
            near = nearest(wrong[1], re.findall(r"'([^']*)'", wrong[2]))
        else:
            return ""
        return f" (did you mean {near[0]}?)" if near else ""

    def _print_message(self, message: str, file: Any = None) -> None:
        (file or sys.stderr).write(message)  # argparse would hide errors of writing


class _Name(argparse.ArgumentParser):
    """Placeholder for a command in a list of commands: only its name, which takes no time to create."""

    def __init__(self, **about: Any) -> None:
        pass


def _with_local_path(argument: str) -> str:
    """Expand a path in a word of the command line that the shell did not expand: quoted ``~`` or a URL."""
    option, path = re.fullmatch(r"(--[\w-]+=)?(.*)", argument, re.DOTALL).groups(default="")  # type: ignore[union-attr]
    if not path.startswith(("~", "file:")):
        return argument
    from snakestudio.inputs import local_path

    try:
        return f"{option}{local_path(path)}"
    except UsageError as error:
        overview().refuse(str(error))


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Known words that are similar to a mistyped one."""
    import difflib

    return difflib.get_close_matches(name.casefold(), list(known), 3, 0.6)


def overview(group: str = "") -> Parser:
    """Parser of `snakestudio --help`, or of the commands of one `group`, such as "study"."""
    parser = Parser(
        prog=f"snakestudio {group}".rstrip(),
        description="" if group else "Simulate, watch and drive snake robots.",
        epilog="" if group else _EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"SnakeStudio {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Name)
    for name, (_, text) in COMMANDS.items():
        if group and not name.startswith(f"{group} "):
            continue
        commands.add_parser(name, help=text)
    return parser


def _command(arguments: list[str]) -> str:
    """Remove the command from the words and return it; "gui" if missing."""
    if not arguments:
        return "gui"
    for count in (2, 1):
        name = " ".join(arguments[:count])
        if name in COMMANDS or name in _HIDDEN:
            del arguments[:count]
            return name
    members = [name.split()[1] for name in COMMANDS if name.startswith(f"{arguments[0]} ")]
    if not members:
        _see_that_it_is_known(arguments[0])
        return "gui"
    if arguments[1:2] in (["-h"], ["--help"]):
        overview(arguments[0]).parse_args(["--help"])
    if len(arguments) > 1:
        near = nearest(arguments[1], members)
        meant = f' Did you mean "{arguments[0]} {near[0]}"?' if near else ""
        wrong = f'There is no command "{arguments[0]} {arguments[1]}".{meant}'
    else:
        wrong = f'A command is missing after "{arguments[0]}".'
    overview(arguments[0]).error(f"{wrong} Give {listing(members, 'or')}")


def _see_that_it_is_known(argument: str) -> None:
    """Exit with a message if a word is neither a command nor a scene: it may be a mistyped command."""
    path = Path(argument)
    if argument.startswith("-") or not is_bare_name(path) or os.path.lexists(find_scene(path)):
        return
    near = nearest(argument, [*(name.partition(" ")[0] for name in COMMANDS), *bundled_scenes()])
    meant = f" Did you mean {listing(map(quoted, dict.fromkeys(near)), 'or')}?" if near else ""
    lists = "'snakestudio --help' lists the commands, 'snakestudio scenes' the bundled scenes."
    overview().refuse(
        f'There is no command or scene "{argument}", and no such file.{meant} {lists}'
    )


def _loaded(name: str) -> tuple[ModuleType, Parser]:
    command = import_module(f"snakestudio.cli.{_HIDDEN.get(name) or COMMANDS[name][0]}")
    parser = Parser(
        prog=f"snakestudio {name}" if name != "gui" else "snakestudio", description=command.__doc__
    )
    from snakestudio.cli.results import add_quiet_argument

    command.add_arguments(parser)
    if name in COMMANDS and name not in _WITHOUT_QUIET and not parser.has_option("-q"):
        add_quiet_argument(parser)
    if name in _WITH_PLUGINS:
        parser.add_argument(
            "--plugin",
            metavar="FILE",
            action="append",
            default=[],
            dest="plugins",
            help="load a plug-in and run its code: a .py file, or the name of an installed one (can be repeated)",
        )
    return command, parser


def parser_of(name: str) -> Parser:
    """Parser of the options of a command, a key of `COMMANDS`."""
    return _loaded(name)[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    int
        0; 2 for invalid input; 3 if the simulation failed; 130, 143 or 129 after Ctrl+C, SIGTERM
        or a closed terminal.
    """
    if arguments is None:  # the whole process is this command
        heap.collect_rarely()
        processor.use_one_thread()
    command_line = list(sys.argv[1:] if arguments is None else arguments)
    complete_standard_streams()
    set_matplotlib_folder()
    try:
        return _run([_with_local_path(argument) for argument in command_line])
    except SystemExit as error:  # raised by --help; its output must be flushed, too
        sys.exit(_flushed(error.code if isinstance(error.code, int) else 0))
    except ImportError as error:
        print_error(f"A part of SnakeStudio cannot be loaded ({error}). Install SnakeStudio again.")
        return 2
    except OSError as error:
        if _stdout_full():
            return _not_shown(error)
        if _has_temporary_folder():
            raise
        print_error(_NO_TEMPORARY_FOLDER)
        return 2


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in ("-h", "--help", "--version"):
        overview().parse_args(arguments[:1])
    name = _command(arguments)
    command, parser = _loaded(name)
    try:
        os.getcwd()
    except OSError:
        print_error(_NO_CURRENT_FOLDER)
        return 2
    if processor.problem():
        print_error(processor.problem())
        return 2
    from snakestudio.cli.results import messages_apart

    stdout = sys.stdout
    with cleaning_up() if name in COMMANDS and name not in _OWN_ENDING else nullcontext():
        try:
            # options can be mixed with any number of names
            options = parser.parse_intermixed_args(arguments)
            with notices_for_users(), messages_apart(options):
                if getattr(options, "plugins", None):
                    from snakestudio.plugins.loading import load_all

                    load_all(options.plugins)
                code = int(command.execute(options))
        except (PhysicsError, PluginRuntimeError) as error:
            print_error(str(error))
            code = 3
        except SnakeStudioError as error:
            for line in str(error).splitlines():
                print_error(line)
            code = 2
        except KeyboardInterrupt as error:
            print("\nsnakestudio: interrupted.", file=sys.stderr)
            code = error.code if isinstance(error, EndRequest) else 130
        except BrokenPipeError:
            code = 0  # the reader of the output closed the pipe, which is not an error
        except Exception as error:
            code = _plugin_failed(error)
        finally:
            sys.stdout = stdout
    return _flushed(code)


def _plugin_failed(error: Exception) -> int:
    """Report an exception in code of a plug-in; any other exception is raised again."""
    from snakestudio.plugins.faults import fault_of

    fault = fault_of(error)
    if fault is None:
        raise error
    print_error(str(fault))
    return 3


def _flushed(code: int) -> int:
    """Flush the standard output, and return the exit code: 2 if it cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        return _not_shown(error)
    return code


def _stdout_full() -> bool:
    """Whether the standard output cannot be written; tested by writing, because it may be unbuffered."""
    try:
        print(flush=True)
    except OSError:
        return True
    return False


def _has_temporary_folder() -> bool:
    try:
        temporary_dir()
    except OSError:
        return False
    return True


def _not_shown(error: OSError) -> int:
    silence_stdout()
    why = error.strerror or str(error)
    print_error(f"The standard output cannot be written ({why}). Some output is lost.")
    return 2
