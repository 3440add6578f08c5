"""What comes into the program from outside: every file of others is opened here, within a budget of its kind.

A budget says how large a file may be, how deep what it holds may be nested and how many values,
lines and columns there may be, so that no file takes more than some seconds or a few hundred
megabytes, whoever made it. Nothing but a regular file is read: a pipe nobody writes to would keep
the program for ever, a device has no end. What does not keep to its budget raises `InputError`, of
which whoever reads the file makes an error of his own that names it.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote_to_bytes

from snakestudio.errors import MistakeError, UsageError


@dataclass(frozen=True, slots=True)
class Budget:
    """What one kind of input may take."""

    what: str
    """What it is called in sentences: "a scene"."""

    ending: str
    """Usual ending of such a file."""

    largest: int
    """Bytes of the whole of it."""

    depth: int = 32
    """How deep tables and lists may lie in each other."""

    values: int = 400_000
    """Values (of a table: cells, of a drawing: elements, of a DBC: words) in all of it. Of TOML
    and JSON a key counts for three of them, a bracket for two: that is how long it takes to read
    them."""

    lines: int = 200_000
    """Lines of a table or a header."""

    line: int = 4_000_000
    """Characters of a line."""

    columns: int = 60_000
    """Cells of a line."""


_MB = 1_000_000
_ANY = 1 << 50
"""Of what is read piece by piece the size does not matter."""

SCENE = Budget("a scene", ".toml", 24 * _MB, values=1_200_000)
STUDY = Budget("a study", ".toml", 4 * _MB, values=300_000)
PROFILE = Budget("a robot profile", ".toml", 2 * _MB, values=300_000)
DBC = Budget("a DBC", ".dbc", 2 * _MB, values=300_000)
PLUGIN = Budget("a plug-in", ".py", 2 * _MB)
TRUST = Budget("a list of trusted plug-ins", ".json", 2 * _MB, values=100_000)
LAYOUT = Budget("a layout", ".toml", _MB, values=300_000)
CAMERA_PATH = Budget("a camera path", ".toml", _MB, values=50_000)
REMOTE_CALL = Budget("a remote call", ".json", _MB, values=100_000)
MAPPING = Budget("a mapping", ".toml", _MB, values=10_000)
CIRCLES = Budget("a table of obstacles", ".csv", 8 * _MB)
DRAWING = Budget("a drawing", ".svg", 16 * _MB, depth=100, values=100_000)
PICTURE = Budget("a picture", ".png", 64 * _MB)
ROBOT = Budget("a robot file", ".urdf, .sdf or .xml", 32 * _MB, depth=2000, values=200_000)
MESH = Budget("a mesh", ".stl, .obj or .dae", 128 * _MB)
MESH_TABLE = Budget("a mesh", ".dae", 64 * _MB, depth=100, values=200_000)
MEASUREMENT = Budget("a measurement", ".csv", 200 * _MB, values=20_000_000, line=1_500_000)
ANGLE_TABLE = Budget(
    "a table of joint angles", ".csv", 64 * _MB, values=3_000_000, line=200_000, columns=4_000
)
CSV_HEADER = Budget("the header of a run", ".csv", _ANY)
RECORDED_TABLE = Budget("a recorded run", ".csv", 4_000 * _MB, lines=5_000_000)
RUN_FILE = Budget("a recorded run", ".mcap", _ANY)
NOTE = Budget("a note", ".json", 8 * _MB)
FRAME_LOG = Budget("a log of frames", ".log", _ANY)


NO_SUCH_FILE = "there is no such file"

_KEY_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""


_URL = re.compile(r"(?:/.*?/)?file:(?://(?P<host>[^/]*))?(?P<path>/.*)", re.DOTALL)
"""A URL, also behind the folder that a file dialog puts before everything it does not know."""


def local_path(name: str | Path, folder: Path | None = None) -> Path:
    """The path that a person typed or pasted: also a ``file://`` URL, and one that begins with ``~``.

    A file that is called exactly so is taken as it is.

    Raises `UsageError` if a URL names a file of another computer.

    Parameters
    ----------
    folder : Path, optional
        What a relative path starts from.
    """
    text = os.fspath(name)
    url = _URL.fullmatch(text)
    if (url is not None or text.startswith("~")) and not os.path.lexists(Path(folder or "", text)):
        if url is None:
            text = os.path.expanduser(text)
        elif url["host"] in (None, "", "localhost", platform.node()):
            text = os.fsdecode(unquote_to_bytes(url["path"]))
        else:
            raise UsageError(
                f"{text} is a file on another computer. Copy it to this one, or mount its folder."
            )
    return Path(folder or "", text)


class InputError(MistakeError):
    """What comes from outside cannot be read, or is more than its budget allows."""


@contextmanager
def opened(path: Path, budget: Budget) -> Iterator[BinaryIO]:
    """A regular file of others, open for reading.

    Raises `InputError` if there is none, it cannot be read, is no regular file, or is too large.
    """
    try:
        # Not blocking: to open a pipe would else last until somebody writes to it.
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except FileNotFoundError:
        raise InputError(NO_SUCH_FILE, "check the path") from None
    except OSError as error:
        raise _unreadable(error) from None
    except ValueError:
        raise InputError("this is not a path", f"give the path of {budget.what}") from None
    found = os.fstat(handle)
    refused = None
    if stat.S_ISDIR(found.st_mode):
        refused = InputError(
            f"this is a folder, not {budget.what}", f"name a {budget.ending} file in it"
        )
    elif not stat.S_ISREG(found.st_mode):
        refused = InputError(
            "this is a pipe or a device, not a file", f"give {budget.what} in a file"
        )
    elif found.st_size > budget.largest:
        refused = _too_large(budget)
    if refused is not None:
        os.close(handle)
        raise refused
    with os.fdopen(handle, "rb") as file:
        try:
            yield file
        except OSError as error:
            raise _unreadable(error) from None


def _unreadable(error: OSError) -> InputError:
    return InputError(
        f"the file cannot be read ({error.strerror or error})", "check its permissions"
    )


def _too_large(budget: Budget) -> InputError:
    return InputError(
        f"the file is too large to be {budget.what}",
        f"give one of less than {budget.largest // _MB} MB",
    )


def read_bytes(path: Path, budget: Budget) -> bytes:
    """What a regular file holds.

    Raises `InputError` as `opened`.
    """
    with opened(path, budget) as file:
        data = file.read(budget.largest + 1)
    if len(data) > budget.largest:
        raise _too_large(budget)
    return data


def read_text(path: Path, budget: Budget) -> str:
    """The text in a regular file: UTF-8, with or without its mark.

    Raises `InputError` as `opened`, and if it is no text.
    """
    return text_of(read_bytes(path, budget), budget)


def text_of(data: bytes, budget: Budget) -> str:
    """UTF-8 as text, without its mark.

    Raises `InputError` if it is none.
    """
    if b"\0" in data:
        raise InputError(
            f"this is a binary file, not {budget.what}", f"give a {budget.ending} file"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start + 1} is not UTF-8 text", "save the file as UTF-8"
        ) from None


def leading_lines(path: Path, budget: Budget = CSV_HEADER, mark: str = "#") -> Iterator[str]:
    """The lines at the beginning of a text that begin with a mark, without their ends; the rest is not read.

    Raises `InputError` as `read_text`, and where the header is longer than any.
    """
    total = 0
    longest = 2 * SCENE.largest
    with opened(path, budget) as file:
        first = True
        for _ in range(budget.lines):
            data = file.readline(budget.line + 1)
            if first:
                data = data.removeprefix(b"\xef\xbb\xbf")
                first = False
            if data.strip() and not data.startswith(mark.encode()):
                return
            total += len(data)
            if len(data) > budget.line or total > longest:
                break
            if not data:
                return
            yield text_of(data, budget).rstrip("\r\n")
    raise InputError(
        f"its header is longer than {budget.lines} lines or {longest // _MB} MB",
        "give a file that SnakeStudio wrote",
    )


def nearest_row(path: Path, column: str, wanted: float) -> dict[str, str]:
    """The row of a CSV whose value in a column is nearest to the wanted one: its cells by the names of the columns.

    Lines that begin with # are passed over. No more than two lines are held at a time.

    Raises `InputError` as `opened`, and if there is no such row.
    """
    budget = RECORDED_TABLE
    best = math.inf
    nearest = b""
    with opened(path, budget) as file:
        rows = _rows(file, budget)
        names = [name.strip() for name in text_of(next(rows, b""), budget).split(",")]
        if column not in names:
            raise InputError(f"it has no readable column {column}", f"give {budget.what}")
        count(len(names), budget.columns, "columns in it")
        place = names.index(column)
        for row in rows:
            cells = row.split(b",", place + 1)
            try:
                distance = abs(float(cells[place]) - wanted)
            except (IndexError, ValueError):
                raise InputError(
                    f"it has no readable column {column}", f"give {budget.what}"
                ) from None
            if distance < best:
                best = distance
                nearest = row
    if not nearest:
        raise InputError("it holds no rows", f"give {budget.what}")
    return dict(zip(names, text_of(nearest, budget).strip().split(","), strict=False))


def _rows(file: BinaryIO, budget: Budget) -> Iterator[bytes]:
    """The lines of a table; comments and empty ones are passed over."""
    for _ in range(budget.lines):
        line = file.readline(budget.line + 1).removeprefix(b"\xef\xbb\xbf")
        if not line:
            return
        if len(line) > budget.line:
            raise InputError(
                f"a line of it is longer than {budget.line} characters", f"give {budget.what}"
            )
        if line.strip() and not line.startswith(b"#"):
            yield line
    raise InputError(
        f"it has more than {budget.lines} lines", f"give {budget.what} that is shorter"
    )


def count(found: int, most: int, what: str, remedy: str = "give fewer") -> None:
    """See that there are not too many of something.

    Raises
    ------
    InputError
    """
    if found > most:
        raise InputError(f"there are {found} {what}, more than {most}", remedy)


def read_toml(path: Path, budget: Budget) -> dict[str, Any]:
    """The values in a TOML file.

    Raises `InputError` as `read_text` and `parse_toml`.
    """
    return parse_toml(read_text(path, budget), budget)


def parse_toml(text: str, budget: Budget) -> dict[str, Any]:
    """The values of a TOML text.

    Raises `InputError` if it is not valid TOML (the line is named), too long, too full or nested
    too deeply.
    """
    _not_too_many(text, "=", budget)
    # A key of a million parts is as many tables in each other.
    if re.search(rf"(?<![\w\"'-])(?:{_KEY_PART}[ \t]*+\.[ \t]*+){{{budget.depth}}}", text):
        raise _too_deep()
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise InputError(f"this is not valid TOML: {error}", "fix the line") from None
    _no_deeper(values, budget.depth)
    return values


def parse_json(text: str, budget: Budget) -> Any:
    """The value that a JSON text says.

    Raises `InputError` if it is none, too long or nested too deeply.
    """
    _not_too_many(text, ":", budget)
    try:
        value = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise InputError(f"this is not valid JSON: {error}", "fix it") from None
    _no_deeper(value, budget.depth)
    return value


def _not_too_many(text: str, between: str, budget: Budget) -> None:
    """See that a text is not too long or full: a value takes the libraries microseconds, to count them takes none."""
    if len(text) > budget.largest:
        raise InputError(
            f"the text is too long for {budget.what}", f"give less than {budget.largest // _MB} MB"
        )
    many = (
        3 * text.count(between)
        + 2 * (text.count("[") + text.count("{"))
        + text.count(",")
        + text.count("\n") // 4
    )
    if many > budget.values:
        raise InputError(f"it holds more values than {budget.what} can", "give fewer")


def _too_deep() -> InputError:
    return InputError("its tables or lists are nested too deeply", "write it flat")


def _no_deeper(value: Any, depth: int) -> None:
    """See that nothing lies deeper, level by level: what follows goes through it by calling itself."""
    level = [value]
    for _ in range(depth):
        inside: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                inside += [each for each in part.values() if isinstance(each, dict | list)]
            elif isinstance(part, list):
                inside += [each for each in part if isinstance(each, dict | list)]
        if not inside:
            return
        level = inside
    raise _too_deep()
