"""Exceptions of SnakeStudio: each message has two sentences: what is wrong, and what to do.

::

    SnakeStudioError                  anything SnakeStudio raises on purpose
    ├── UserError                     invalid input; the command line exits with 2
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

A MistakeError (FormulaError, InputError) is not one of them: it has neither key nor file, so the
reader of the formula or the file converts it to one of these. A SnakeStudioWarning is a notice that
does not end anything.
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
    """Edit that solves a problem."""

    label: str
    """Description, as on a button: "Reduce the amplitude to 40°"."""
    values: tuple[tuple[str, object], ...]
    """Dotted scene keys and their new values, as in the file; None removes a key."""


_PREDICATE = re.compile(r"(?:must|is|are|has|have|needs|cannot|does)\b")
"""Start of a message whose subject is the value at the key."""
_VALUE = re.compile(r"[\"“'\d\N{MINUS SIGN}-]|(?:true|false)\b")
"""Start of a message that starts with the value itself."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Problem of a scene, a study or a profile."""

    severity: Severity
    """An error prevents a run; other severities do not."""
    key: str
    """Dotted key, for example ``obstacles[2].radius_m`` (1-based as shown to users); can be empty."""

    message: str
    """What is wrong, with the value: a clause, or a predicate of the key ("must be greater than 0
    (got -1)")."""
    remedy: str
    """What to do, as a clause; can be empty."""
    obstacles: tuple[int, ...] = ()
    """0-based indices of obstacles to highlight."""
    links: tuple[int, ...] = ()
    """0-based indices of links to highlight."""
    fixes: tuple[Fix, ...] = ()
    """Edits that would solve the problem, the best one first."""

    def sentence(self) -> str:
        """Return the text for the command line: "Message. Remedy.", with the key."""
        clause = ended(self.clause(self.key) if self.key else capitalized(self.message))
        return f"{clause} {sentence(self.remedy)}".rstrip()

    def sentence_for(self, label: str = "") -> str:
        """Return the text for the window: "Message. Remedy.".

        Parameters
        ----------
        label : str
            Label of the value in the window, for messages that do not name it; "" next to the field of
            the value.
        """
        named = not (_PREDICATE.match(self.message) or _VALUE.match(self.message))
        return sentences(self.message if named else self.clause(label), self.remedy)

    def clause(self, subject: str) -> str:
        """Return the message with the value's name as its subject, or before it."""
        if not subject or self.message.startswith(subject):
            return self.message
        if _PREDICATE.match(self.message):
            return f"{subject} {self.message}"
        return f"{subject}: {capitalized(self.message)}"


class SnakeStudioError(Exception):
    """Base class of all deliberate errors of SnakeStudio; `str()` is a sentence for the user."""


class SnakeStudioWarning(UserWarning):
    """A notice for users; warnings of other categories are for developers."""


class UserError(SnakeStudioError):
    """Unusable input; nothing was changed (exit code 2)."""


class _ProblemsError(UserError):
    """Input that is unusable because of problems, all of which are listed.

    Parameters
    ----------
    message : str
        Sentences of the problems, one problem per line.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems: tuple[Problem, ...] = tuple(problems)

    @classmethod
    def of(cls, problems: Sequence[Problem], source: object = "") -> Self:
        """Return the error for some problems, each prefixed with its source (a file) if there is one."""
        head = f"{source}: " if source else ""
        return cls("\n".join(head + problem.sentence() for problem in problems), problems)


class SceneError(_ProblemsError):
    """Scene that is unreadable, or cannot be run in its current state."""


class StudyError(_ProblemsError):
    """Study that is unreadable or cannot be run in its current state, or an unusable store of a study."""


class UsageError(UserError):
    """Invalid command-line option or argument of a Python call."""


class ExperimentError(UserError):
    """Measured data that is unreadable, or cannot be compared with a run."""


class ExportError(UserError):
    """File that cannot be written, or format that cannot represent the run."""


class StateError(UserError):
    """Saved state of a run that cannot be resumed."""


class RobotFileError(_ProblemsError):
    """URDF, SDF or MJCF file that is unreadable, or whose robot cannot be described by a scene."""


class RunFileError(UserError):
    """File that is not a recorded run, or is unreadable."""


class SignalError(UserError):
    """Unusable expression over a run's columns.

    Parameters
    ----------
    message, remedy : str
        What is wrong and what to do, as in `Problem`.
    start, stop : int
        Index of the first character of the error, and of the character after its last; 0 and 0 for the
        whole text.
    """

    def __init__(self, message: str, remedy: str, start: int = 0, stop: int = 0) -> None:
        super().__init__(sentences(message, remedy))
        self.message = message
        self.remedy = remedy
        self.start = start
        self.stop = stop


class PreparationError(UserError):
    """Engine that cannot be compiled, or whose compiled code cannot be saved."""


class TriggerError(UserError):
    """Synchronized start with other instruments that failed."""


class StreamError(UserError):
    """Run that cannot be streamed to other programs, or program that cannot be reached."""


class ProfileError(_ProblemsError):
    """Robot profile (or its DBC) that is unreadable or unusable."""


class LinkError(UserError):
    """Robot that cannot be reached, or cannot execute a request now: driver, channel, permission, state."""


class PluginError(UserError):
    """Plug-in that cannot be loaded, or is not trusted."""


class PluginRuntimeError(SnakeStudioError):
    """Plug-in code that raised an exception, or returned an unusable result (exit code 3).

    Parameters
    ----------
    plugin : str
        Name of the plug-in.
    message : str
        What went wrong, with file and line, and what to do.
    traceback : str
        Traceback from the plug-in's first frame on; "" if no exception was raised.
    """

    def __init__(self, plugin: str, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.plugin = plugin
        self.message = message
        self.traceback = traceback


class PhysicsError(SnakeStudioError):
    """Run that stopped because the simulation failed; recorded rows are preserved (exit code 3)."""


class GraphicsError(SnakeStudioError):
    """OpenGL is not usable on this machine."""


class MistakeError(ValueError):
    """Unusable value, raised where neither its key nor its file is known.

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
        """Return the error as a Problem of the value at a key."""
        return Problem("error", key, self.message, self.remedy)


class FormulaError(MistakeError):
    """Unusable formula.

    Parameters
    ----------
    start, stop : int
        Index of the first character of the error, and of the character after its last; 0 and 0 for the
        whole text.
    """

    def __init__(self, message: str, remedy: str, start: int = 0, stop: int = 0) -> None:
        super().__init__(message, remedy)
        self.start = start
        self.stop = stop
