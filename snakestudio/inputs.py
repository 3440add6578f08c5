"""Input files from outside: every untrusted file is opened here, in the budget of its kind.

A budget limits the size of a file, its nesting depth and its number of values, lines and columns, so
that no file takes more than some seconds or a few hundred megabytes. Only regular files are read: a
pipe without a writer would block the program forever, and a device has no end. A file beyond its
budget raises `InputError`, which its reader converts to an error that names the file.
"""

from __future__ import annotations

import codecs
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
    """Limits of one kind of input."""

    what: str
    """Noun phrase for messages: "a scene"."""

    ending: str
    """Usual suffix of such a file."""

    largest: int
    """Largest size of the file, bytes."""

    depth: int = 32
    """Largest nesting depth of tables and lists."""

    values: int = 400_000
    """Largest number of values (cells of a table, elements of a drawing, words of a DBC). In TOML and
    JSON a key counts as three values and a bracket as two, in proportion to the time it takes to read
    them."""

    lines: int = 200_000
    """Largest number of lines of a table or a header."""

    line: int = 4_000_000
    """Largest number of characters of a line."""

    columns: int = 60_000
    """Largest number of cells of a line."""


_MB = 1_000_000
_ANY = 1 << 50
"""Unlimited size, for files that are read piece by piece."""

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
"""File URL, also after the folder that a file dialog prepends to everything it does not know."""


def local_path(name: str | Path, folder: Path | None = None) -> Path:
    """Return the path that a user typed or pasted, which can be a ``file://`` URL or start with ``~``.

    An existing file with exactly this name takes precedence.

    Raises `UsageError` if a URL names a file of another computer.

    Parameters
    ----------
    folder : Path, optional
        Base folder of relative paths.
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
                f"{text} is on another computer. Copy it to this one, or mount its folder."
            )
    return Path(folder or "", text)


class InputError(MistakeError):
    """Input that is unreadable or exceeds its budget."""


@contextmanager
def opened(path: Path, budget: Budget) -> Iterator[BinaryIO]:
    """Open a regular untrusted file for reading.

    Raises `InputError` if it does not exist, is unreadable, is not a regular file, or is too large.
    """
    try:
        # Non-blocking, because opening a pipe would otherwise wait for its writer.
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except FileNotFoundError:
        raise InputError(NO_SUCH_FILE, "check the path") from None
    except OSError as error:
        raise _unreadable(error) from None
    except ValueError:
        raise InputError("this is not a path", f"enter the path of {budget.what}") from None
    status = os.fstat(handle)
    refused = None
    if stat.S_ISDIR(status.st_mode):
        refused = InputError(
            f"this is a folder, not {budget.what}", f"choose a {budget.ending} file in it"
        )
    elif not stat.S_ISREG(status.st_mode):
        refused = InputError(
            "this is a pipe or a device, not a file", f"save {budget.what} as a file"
        )
    elif status.st_size > budget.largest:
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
        f"choose a file smaller than {budget.largest // _MB} MB",
    )


def read_bytes(path: Path, budget: Budget) -> bytes:
    """Return the content of a regular file.

    Raises `InputError` as `opened`.
    """
    with opened(path, budget) as file:
        data = file.read(budget.largest + 1)
    if len(data) > budget.largest:
        raise _too_large(budget)
    return data


def read_text(path: Path, budget: Budget) -> str:
    """Return the text in a regular file: UTF-8, with or without a byte order mark.

    Raises `InputError` as `opened`, and if it is not text.
    """
    return text_of(read_bytes(path, budget), budget)


def text_of(data: bytes, budget: Budget) -> str:
    """Decode UTF-8 without its byte order mark.

    Raises `InputError` if it is not UTF-8.
    """
    if b"\0" in data:
        raise InputError(
            f"this is a binary file, not {budget.what}", f"choose a {budget.ending} file"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start + 1} is not UTF-8 text", "save the file as UTF-8"
        ) from None


_XML_ENCODING = re.compile(rb"""\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"'>]{1,60})["']""")
_XML_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "utf-8",
}
"""Encodings that contain others, and whose characters programs write under the names of those."""


def utf8_xml(data: bytes) -> bytes:
    """Return an XML file in UTF-8; its parser must ignore the encoding that the first line declares.

    Raises `InputError` if that encoding is unknown, or is not that of the file.
    """
    name = next((name for mark, name in _XML_MARKS if data.startswith(mark)), "")
    marked = bool(name)
    if not marked:
        declared = _XML_ENCODING.match(data)
        name = "utf-8" if declared is None else declared[1].decode("ascii", "replace")
        try:
            codec = codecs.lookup(name).name
            "".encode(codec)  # codecs such as zlib are for bytes
        except (LookupError, UnicodeError, ValueError):
            raise InputError(
                f'the encoding "{name}" in its first line is unknown', "save the file as UTF-8"
            ) from None
        # The first line could be read byte by byte, so the file has no two-byte characters.
        name = "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec
    for encoding in (name, _SUPERSETS.get(name, name)):
        try:
            return data.decode(encoding).encode("utf-8")
        except UnicodeError:
            pass
    if marked:
        return data  # the file is not text; the parser reports where
    raise InputError(f'its text is not in the encoding "{name}"', "save the file as UTF-8")


def leading_lines(path: Path, budget: Budget = CSV_HEADER, mark: str = "#") -> Iterator[str]:
    """Yield the lines at the start of a text that start with a mark, without line ends; the rest is not read.

    Raises `InputError` as `read_text`, and if the header is too long.
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
        "choose a file that SnakeStudio wrote",
    )


def nearest_row(path: Path, column: str, value: float) -> dict[str, str]:
    """Return the row of a CSV whose value in a column is nearest to `value`: cells by column name.

    Lines that start with # are skipped. At most two lines are in memory.

    Raises `InputError` as `opened`, and if there is no such row.
    """
    budget = RECORDED_TABLE
    best = math.inf
    nearest = b""
    with opened(path, budget) as file:
        rows = _rows(file, budget)
        names = [name.strip() for name in text_of(next(rows, b""), budget).split(",")]
        if column not in names:
            raise InputError(f"it has no readable column {column}", f"choose {budget.what}")
        count(len(names), budget.columns, "columns")
        index = names.index(column)
        for row in rows:
            cells = row.split(b",", index + 1)
            try:
                distance = abs(float(cells[index]) - value)
            except (IndexError, ValueError):
                raise InputError(
                    f"it has no readable column {column}", f"choose {budget.what}"
                ) from None
            if distance < best:
                best = distance
                nearest = row
    if not nearest:
        raise InputError("it contains no rows", f"choose {budget.what}")
    return dict(zip(names, text_of(nearest, budget).strip().split(","), strict=False))


def _rows(file: BinaryIO, budget: Budget) -> Iterator[bytes]:
    """Yield the lines of a table; comments and empty lines are skipped."""
    for _ in range(budget.lines):
        line = file.readline(budget.line + 1).removeprefix(b"\xef\xbb\xbf")
        if not line:
            return
        if len(line) > budget.line:
            raise InputError(
                f"one of its lines is longer than {budget.line} characters", f"choose {budget.what}"
            )
        if line.strip() and not line.startswith(b"#"):
            yield line
    raise InputError(
        f"it has more than {budget.lines} lines", f"choose {budget.what} that is shorter"
    )


def count(number: int, most: int, what: str, remedy: str = "use fewer") -> None:
    """Check that a number does not exceed a limit.

    Raises
    ------
    InputError
    """
    if number > most:
        raise InputError(f"there are {number} {what}, more than {most}", remedy)


def read_toml(path: Path, budget: Budget) -> dict[str, Any]:
    """Return the values in a TOML file.

    Raises `InputError` as `read_text` and `parse_toml`.
    """
    return parse_toml(read_text(path, budget), budget)


def parse_toml(text: str, budget: Budget) -> dict[str, Any]:
    """Return the values of a TOML text.

    Raises `InputError` if it is not valid TOML (with the line), too long, has too many values or is
    nested too deeply.
    """
    _not_too_many(text, "=", budget)
    # A key with a million parts is as many nested tables.
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
    """Return the value of a JSON text.

    Raises `InputError` if it is invalid, too long or nested too deeply.
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
    """Check the length and number of values of a text: parsing takes microseconds per value, counting takes none."""
    if len(text) > budget.largest:
        raise InputError(
            f"the text is too long for {budget.what}", f"use less than {budget.largest // _MB} MB"
        )
    many = (
        3 * text.count(between)
        + 2 * (text.count("[") + text.count("{"))
        + text.count(",")
        + text.count("\n") // 4
    )
    if many > budget.values:
        raise InputError(f"it contains more values than {budget.what} can", "use fewer")


def _too_deep() -> InputError:
    return InputError("its tables or lists are nested too deeply", "reduce the nesting")


def _no_deeper(value: Any, depth: int) -> None:
    """Check the nesting depth level by level, before code that recurses."""
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
