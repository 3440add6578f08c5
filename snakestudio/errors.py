"""The exceptions of SnakeStudio: each says what is wrong and what to do, in two sentences.

::

    SnakeStudioError                  anything SnakeStudio raises on purpose
    ├── UserError                     a mistake in what was given; the command line exits with 2
    │   ├── SceneError                scenes/rubble.toml: robot.mass_kg must be greater than 0 (got -1). Give ...
    │   ├── StudyError                sidewinding.study.toml: vary[1].steps: A grid needs ... Give the number of steps.
    │   ├── UsageError                --rate must be positive (got 0). Give a rate in Hz.
    │   ├── ExperimentError           track.csv: There is no time column and no rate. Give the rate in Hz.
    │   ├── ExportError               out/run.mp4: The folder "out" cannot be written. Choose another one.
    │   ├── RobotFileError            snake.urdf: The robot branches at link_3. ...
    │   ├── RunFileError              run.mcap: This is not a run of SnakeStudio. ...
    │   ├── SignalError               'link_6_xm' at character 1 is not a column of the run. Did you mean link_6_x_m?
    │   ├── PreparationError          The compiled engine cannot be saved in /data (No space left on device). Free ...
    │   ├── TriggerError              Port 5005 is in use by another program. Choose another one.
    │   ├── StreamError               127.0.0.1:8765 cannot be opened (address in use). Choose another port.
    │   ├── ProfileError              lab.toml: messages[1].signals[2].signal: "Yaw" is not in SET_POINT of lab.dbc. ...
    │   ├── PluginError               my_gait.py, line 7: Invalid syntax. Fix the line.
    │   └── LinkError                 socketcan has no channel can0 here. Bring it up, or choose another one.
    ├── PluginRuntimeError            code of a plug-in raised an exception; the command line exits with 3
    ├── PhysicsError                  the contact solver stopped at t = 3.2 s; the command line exits with 3
    └── GraphicsError                 no OpenGL 3.3 context could be made on this machine

A MistakeError (FormulaError, InputError) is none of them: it knows neither key nor file, so the
reader of the formula or the file turns it into one of these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from snakestudio.text import capitalized, ended, sentence, sentences

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that solves a problem."""

    label: str
    """What it does, as on a button: "Reduce the amplitude to 40°"."""
    values: tuple[tuple[str, object], ...]
    """Dotted scene keys and the values they get, as in the file; None leaves a key out."""


_PREDICATE = re.compile(r"(?:must|is|are|has|have|needs|cannot|does)\b")
"""How a message begins whose subject is the value at the key."""
_VALUE = re.compile(r"[\"“'\d\N{MINUS SIGN}-]|(?:true|false)\b")
"""How a message begins that begins with the value itself."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a scene, a study or a profile."""

    severity: Severity
    """An error keeps it from running; the others do not."""
    key: str
    """Dotted key, for example ``obstacles[2].radius_m`` (1-based as shown to users); may be
    empty."""
    message: str
    """What is wrong, with the value: a clause, or a predicate of the key ("must be greater than 0
    (got -1)")."""
    remedy: str
    """What to do about it, as a clause; may be empty."""
    obstacles: tuple[int, ...] = ()
    """0-based indices of those to highlight."""
    links: tuple[int, ...] = ()
    """0-based indices of those to highlight."""
    fixes: tuple[Fix, ...] = ()
    """Edits that would solve it, the best one first."""

    def sentence(self) -> str:
        """For the command line: "Message. Remedy.", with the key."""
        clause = ended(self.clause(self.key) if self.key else capitalized(self.message))
        return f"{clause} {sentence(self.remedy)}".rstrip()

    def sentence_for(self, label: str = "") -> str:
        """For the window: "Message. Remedy.".

        Parameters
        ----------
        label : str
            What the window calls the value, for messages that do not name it; "" next to the
            value's own field.
        """
        named = not (_PREDICATE.match(self.message) or _VALUE.match(self.message))
        return sentences(self.message if named else self.clause(label), self.remedy)

    def clause(self, subject: str) -> str:
        """The message with the value's name as its subject, or before it."""
        if not subject or self.message.startswith(subject):
            return self.message
        if _PREDICATE.match(self.message):
            return f"{subject} {self.message}"
        return f"{subject}: {capitalized(self.message)}"


class SnakeStudioError(Exception):
    """Base of everything SnakeStudio raises on purpose; `str()` is a sentence for the user."""


class UserError(SnakeStudioError):
    """What the user gave cannot be used; nothing was changed (exit code 2)."""


class _ProblemsError(UserError):
    """What cannot be used because of problems, all of which are listed.

    Parameters
    ----------
    message : str
        The sentences, those of each problem in a line.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = tuple(problems)

    @classmethod
    def of(cls, problems: Sequence[Problem], source: object = "") -> Self:
        """The error about some problems, each with its source (a file) before it if there is one."""
        head = f"{source}: " if source else ""
        return cls("\n".join(head + problem.sentence() for problem in problems), problems)


class SceneError(_ProblemsError):
    """A scene that cannot be read, or cannot be run as it stands."""


class StudyError(_ProblemsError):
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
        First character of what the mistake is about, and the one behind its last; 0 and 0 if it is
        all of the text.
    """

    def __init__(self, message: str, remedy: str, start: int = 0, stop: int = 0) -> None:
        super().__init__(sentences(message, remedy))
        self.message = message
        self.remedy = remedy
        self.start = start
        self.stop = stop


class PreparationError(UserError):
    """An engine cannot be compiled, or what was compiled cannot be kept."""


class TriggerError(UserError):
    """Starting together with other instruments does not work as asked for."""


class StreamError(UserError):
    """A run cannot be streamed to other programs, or another program cannot be reached."""


class ProfileError(_ProblemsError):
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
        self.plugin = plugin
        self.message = message
        self.traceback = traceback


class PhysicsError(SnakeStudioError):
    """A run stopped because the physics failed; what was recorded is kept (exit code 3)."""


class GraphicsError(SnakeStudioError):
    """No usable OpenGL on this machine."""


class MistakeError(ValueError):
    """Something given that cannot be used, raised where neither its key nor its file is known.

    Attributes
    ----------
    message, remedy : str
        What is wrong and what to do, as in `Problem`.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(sentences(message, remedy))
        self.message = message
        self.remedy = remedy

    def problem(self, key: str = "") -> Problem:
        """The mistake as one of the value at a key."""
        return Problem("error", key, self.message, self.remedy)


class FormulaError(MistakeError):
    """A formula that cannot be used.

    Parameters
    ----------
    start, stop : int
        First character of what the mistake is about, and the one behind its last; 0 and 0 if it is
        all of the text.
    """

    def __init__(self, message: str, remedy: str, start: int = 0, stop: int = 0) -> None:
        super().__init__(message, remedy)
        self.start = start
        self.stop = stop
