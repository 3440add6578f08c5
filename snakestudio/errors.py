"""The exceptions of SnakeStudio: every one says in a sentence what is wrong and what to do.

::

    SnakeStudioError                  anything SnakeStudio raises on purpose
    ├── UserError                     a mistake in what was given; the command line exits with 2
    │   ├── SceneError                scenes/rubble.toml: robot.mass_kg = -1 must be greater than 0
    │   ├── StudyError                sidewinding.study.toml: vary[1].steps: a grid needs to know how many
    │   ├── UsageError                --rate 0: the rate must be positive
    │   ├── ExperimentError           track.csv: there is no time column and no rate; give the rate in Hz
    │   ├── ExportError               out/run.mp4: the folder 'out' cannot be written
    │   ├── RobotFileError                snake.urdf: the robot branches at link_3; ...
    │   ├── RunFileError              run.mcap: this is no run of SnakeStudio
    │   ├── SignalError               'link_6_xm' is no column of this run; did you mean link_6_x_m
    │   ├── PreparationError          the compiled engine cannot be kept in /data (No space left on device): make room
    │   ├── TriggerError              port 5005 is in use by another program; choose another one
    │   ├── StreamError               127.0.0.1:8765 cannot be opened (address in use): choose another port
    │   ├── ProfileError              lab.toml: messages[1].signals[2].signal = "Yaw" is not in SET_POINT of lab.dbc
    │   ├── PluginError               my_gait.py, line 7: invalid syntax. Fix the line.
    │   └── LinkError                 socketcan has no channel can0 here; bring it up, or choose another one
    ├── PluginRuntimeError                   code of a plug-in raised an exception; the command line exits with 3
    ├── PhysicsError                  the contact solver stopped at t = 3.2 s; the command line exits with 3
    └── GraphicsError                 no OpenGL 3.3 context could be made on this machine

A MistakeError (FormulaError, InputError) is none of them: it knows neither key nor file, so whoever reads the formula
or the file makes one of these of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "ExperimentError",
    "ExportError",
    "Fix",
    "FormulaError",
    "GraphicsError",
    "LinkError",
    "MistakeError",
    "PhysicsError",
    "PluginError",
    "PluginRuntimeError",
    "PreparationError",
    "Problem",
    "ProfileError",
    "RobotFileError",
    "RunFileError",
    "SceneError",
    "Severity",
    "SignalError",
    "SnakeStudioError",
    "StateError",
    "StreamError",
    "StudyError",
    "TriggerError",
    "UsageError",
    "UserError",
]


Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that mends what a finding is about.

    Attributes
    ----------
    label : str
        What it does, as on a button: "Reduce the amplitude to 40°".
    values : tuple of (str, object)
        Dotted scene keys and the values they get, as they stand in the file; None leaves a key out.
    """

    label: str
    values: tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding about a scene.

    Attributes
    ----------
    severity : {"error", "warning", "hint"}
        An error keeps the scene from running; the others do not.
    key : str
        Dotted scene key, for example ``obstacles[2].radius_m`` (1-based as shown to users); may be empty.
    message : str
        What is wrong, with the value, ending without a full stop.
    remedy : str
        What to do about it, ending without a full stop.
    obstacles, links : tuple of int
        0-based indices of what the finding is about, for highlighting.
    fixes : tuple of Fix
        Edits that would mend it, the best one first.
    """

    severity: Severity
    key: str
    message: str
    remedy: str
    obstacles: tuple[int, ...] = ()
    links: tuple[int, ...] = ()
    fixes: tuple[Fix, ...] = ()

    def sentence(self) -> str:
        """The finding as one sentence."""
        head = f"{self.key}: " if self.key else ""
        tail = f"; {self.remedy}" if self.remedy else ""
        return f"{head}{self.message}{tail}."


class SnakeStudioError(Exception):
    """Base of everything SnakeStudio raises on purpose; `str()` is a sentence for the user."""


class UserError(SnakeStudioError):
    """What the user gave cannot be used; nothing was changed (exit code 2)."""


class _FindingsError(UserError):
    """A file with mistakes, all of which are listed.

    Parameters
    ----------
    message : str
        The sentence (or one sentence a line).
    problems : sequence of Problem
        Every mistake found, for a listing.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = tuple(problems)


class SceneError(_FindingsError):
    """A scene that cannot be read, or cannot be run as it stands."""


class StudyError(_FindingsError):
    """A study that cannot be read, or cannot be run as it stands, and a store of one that cannot be used."""


class UsageError(UserError):
    """A command-line option or an argument of a Python call that makes no sense."""


class ExperimentError(UserError):
    """Measured data that cannot be read, or cannot be compared with a run."""


class ExportError(UserError):
    """A file that cannot be written, or a format that cannot hold the run."""


class StateError(UserError):
    """A saved state of a run that cannot be taken up again."""


class RobotFileError(UserError):
    """A URDF, SDF or MJCF file that cannot be read, or whose robot cannot be described by a scene."""


class RunFileError(UserError):
    """A file that is no recorded run, or one that cannot be read."""


class SignalError(UserError):
    """An expression over a run's columns that cannot be used.

    Parameters
    ----------
    message, remedy : str
        What is wrong and what to do, as in `Problem`.
    start, stop : int
        The characters of the text it is about; 0 and 0 if it is about all of it.
    """

    def __init__(self, message: str, remedy: str, start: int = 0, stop: int = 0) -> None:
        super().__init__(f"{message[:1].upper()}{message[1:]}; {remedy}.")
        self.message, self.remedy, self.start, self.stop = message, remedy, start, stop


class PreparationError(UserError):
    """An engine cannot be compiled, or what was compiled cannot be kept."""


class TriggerError(UserError):
    """Starting together with other instruments does not work as asked for."""


class StreamError(UserError):
    """A run cannot be streamed to other programs, or another program cannot be reached."""


class ProfileError(_FindingsError):
    """A robot profile (or its DBC) that cannot be read or used."""


class LinkError(UserError):
    """The robot cannot be reached, or cannot be asked for that now: driver, channel, permission, state."""


class PluginError(UserError):
    """A plug-in that cannot be loaded, or is not trusted."""


class PluginRuntimeError(SnakeStudioError):
    """Code of a plug-in raised an exception, or gave what cannot be used (exit code 3).

    Parameters
    ----------
    plugin : str
        Name of the plug-in.
    message : str
        What went wrong, with file and line, and what to do.
    traceback : str
        Traceback from the plug-in's first frame on; "" if nothing was raised.
    """

    def __init__(self, plugin: str, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.plugin, self.message, self.traceback = plugin, message, traceback


class PhysicsError(SnakeStudioError):
    """A run stopped because the physics failed; what was recorded is kept (exit code 3)."""


class GraphicsError(SnakeStudioError):
    """No usable OpenGL on this machine."""


class MistakeError(ValueError):
    """Something given that cannot be used, by who knows neither its key nor its file.

    Attributes
    ----------
    message, remedy : str
        What is wrong and what to do, as in `Problem`.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message}; {remedy}")
        self.message, self.remedy = message, remedy


class FormulaError(MistakeError):
    """A formula that cannot be used."""
