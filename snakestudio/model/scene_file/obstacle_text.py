"""Text of the `[[obstacles]]` blocks of a scene file: there can be thousands, and few change between two saves.

A block extends from one `[[obstacles]]` line to the next table, with the comment above it. Blocks of
unchanged obstacles are preserved exactly; in others only the lines of changed values are rewritten.
Callers check that the result parses back to the scene, which detects unsupported layouts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import tomlkit

from snakestudio.model.fields import field_names
from snakestudio.model.obstacles.shape import Obstacle
from snakestudio.model.scene_file.obstacle_match import sources
from snakestudio.model.scene_file.toml_merge import item, merge

MARK = "[[obstacles]]\nhere = 0\n"
"""Replaces the blocks in the rest of the text."""

_LINES = re.compile(r"[^\n]*\n|[^\n]+\Z")
_BLOCK = re.compile(r"\s*\[\[\s*obstacles\s*\]\]\s*(#.*)?$")
_TABLE = re.compile(r"\s*\[{1,2}[\w.\"' -]+\]{1,2}\s*(#.*)?$")
_COMMENT = re.compile(r"\s*#")
_QUOTES = re.compile(r"#|\"{3}|'{3}|\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=\s*")
# A value that ends on its line (a string, number or boolean), and what follows: a comment or
# nothing.
_VALUE = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#"'\[{]+)(?=\s*(?:#.*)?$)""")
_SIMPLE_TEXT = re.compile(r"[^\x00-\x1f\x7f\"\\]*\Z")


class Blocks(NamedTuple):
    """Text of a scene file in parts."""

    rest: str
    """Everything else, with `MARK` in place of the blocks, if there were any."""

    blocks: tuple[str, ...]
    """One block for each obstacle."""


def split(text: str) -> Blocks:
    """Separate the blocks of obstacles from a scene file's text."""
    rest: list[str] = []
    blocks: list[list[str]] = []
    current: list[str] | None = None
    quotes = ""
    for line in _LINES.findall(text if text.endswith("\n") else text + "\n"):
        if not quotes and _BLOCK.match(line):
            current = [*([] if current is None else _comment_below(current)), line]
            if not blocks:
                rest.append(MARK)
            blocks.append(current)
        elif not quotes and current is not None and _TABLE.match(line):
            rest += [*_comment_below(current), line]
            current = None
        else:
            (rest if current is None else current).append(line)
        quotes = _open_quotes(line, quotes)
    return Blocks("".join(rest), tuple("".join(block) for block in blocks))


def _comment_below(block: list[str]) -> list[str]:
    """Remove and return the comment at the end of a block that belongs to what follows: an empty line precedes it."""
    at = len(block)
    while at > 1 and _COMMENT.match(block[at - 1]):
        at -= 1
    if block[at - 1].strip():
        return []
    taken = block[at:]
    del block[at:]
    return taken


def _open_quotes(line: str, quotes: str) -> str:
    """Return the quotation marks of a multi-line string that is still open at the end of this line, or ""."""
    at = 0
    while True:
        if quotes:
            end = line.find(quotes, at)
            while end > 0 and quotes == '"""' and (end - len(line[:end].rstrip("\\"))) % 2:
                end = line.find(quotes, end + 1)  # an escaped quotation mark
            if end < 0:
                return quotes
            at = end + 3
        match = _QUOTES.search(line, at)
        if match is None or match[0] == "#":
            return ""
        at = match.end()
        quotes = match[0] if match[0] in ('"""', "'''") else ""


def updated_blocks(
    blocks: Sequence[str], before: Sequence[Obstacle | None], after: Sequence[Obstacle]
) -> str:
    """Return the text of the blocks for changed obstacles, with unchanged parts preserved.

    Parameters
    ----------
    blocks : sequence of str
        From `split`.
    before : sequence of obstacle
        Obstacles of these blocks; None for an entry that is not an obstacle.
    after : sequence of obstacle
        Obstacles of the new text.
    """
    pieces: list[str] = []
    previous: int | None = -1
    for source, obstacle in zip(sources(before, after), after, strict=True):
        if (
            pieces
            and (source is None or source - 1 != previous)
            and not pieces[-1].endswith("\n\n")
        ):
            pieces.append("\n")
        old = None if source is None else before[source]
        pieces.append(
            _written(obstacle)
            if source is None or old is None
            else _merged(blocks[source], old, obstacle)
        )
        previous = source
    return "".join(pieces)


def _written(obstacle: Obstacle) -> str:
    lines = [
        f"{name} = {_text(value)}"
        for name in field_names(obstacle)
        if (value := getattr(obstacle, name)) is not None
    ]
    return "\n".join(["[[obstacles]]", *lines, ""])


def _merged(block: str, old: Obstacle, new: Obstacle) -> str:
    changes = {
        name: value
        for name in field_names(new)
        if (value := getattr(new, name)) != getattr(old, name, None)
    }
    if not changes:
        return block
    if (
        '"""' in block
        or "'''" in block
        or not all(isinstance(value, bool | int | float | str) for value in changes.values())
    ):
        return _merged_slowly(block, new)
    lines = _LINES.findall(block)
    last = 0
    for index, line in enumerate(lines):
        if _BLOCK.match(line):
            last = index
        key = _KEY.match(line)
        if key is None:
            continue
        value = _VALUE.match(line, key.end())
        if value is not None:
            last = index
        if key[1] in changes:
            if value is None:
                return _merged_slowly(block, new)
            lines[index] = f"{line[: key.end()]}{_text(changes.pop(key[1]))}{line[value.end() :]}"
    lines[last + 1 : last + 1] = [f"{name} = {_text(value)}\n" for name, value in changes.items()]
    return "".join(lines)


def _merged_slowly(block: str, new: Obstacle) -> str:
    document: Any = tomlkit.parse(block)
    merge(document["obstacles"][0], new, explicit=False)
    return tomlkit.dumps(document)


def _text(value: Any) -> str:
    """Return the value in TOML syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str) and _SIMPLE_TEXT.match(value):
        return f'"{value}"'
    return str(item(value).as_string())
