"""What the words over the columns of a table mean: which body, which axis, which unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Heading", "headings", "link_of", "rate_in", "unit_in"]

_UNITS = {
    "m": "m", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "cm": "cm", "mm": "mm", "millimeters": "mm",
    "millimetres": "mm", "centimeters": "cm", "centimetres": "cm", "in": "in", "inch": "in", "inches": "in",
    "rad": "rad", "radians": "rad", "deg": "deg", "degree": "deg", "degrees": "deg", "°": "deg",
    "s": "s", "sec": "s", "seconds": "s", "ms": "ms", "milliseconds": "ms", "us": "us", "µs": "us", "min": "min",
}  # fmt: skip
_KINDS = {"rotation": "rotation", "position": "position", "orientation": "rotation", "translation": "position"}
_NO_NAMES = {"rigid body", "rigid body marker", "marker", "bone", "type", "name", "id", "parent", ""}
_TIMES = {"time", "t", "timestamp", "zeit", "tid", "elapsed", "seconds", "milliseconds"}
_FRAMES = {"frame", "frames", "frame#", "sample", "samples", "field", "index", "n"}
_UNIT = re.compile(r"[\s_]*[\[\(]\s*(?P<unit>[a-zµ°]+)\s*[\]\)]\s*\Z|[_\s](?P<bare>mm|cm|m|in|rad|deg|s|ms|us)\Z")
_WHAT = re.compile(
    r"(?P<body>.*?)(?P<gap>[\s_.:/|-]*)"
    r"(?P<what>qw|qx|qy|qz|q0|q1|q2|q3|tx|ty|tz|rx|ry|rz|roll|pitch|yaw|heading|theta|psi|x|y|z|w)\Z",
    re.IGNORECASE,
)
_MEANING = {
    "tx": "x", "ty": "y", "tz": "z", "rx": "roll", "ry": "pitch", "rz": "yaw", "heading": "vertical",
    "theta": "vertical", "psi": "vertical", "q0": "qw", "q1": "qx", "q2": "qy", "q3": "qz",
}  # fmt: skip
_JOINT = re.compile(r"joint[ _-]*(\d{1,4})[ _-]*(yaw|pitch)?\Z", re.IGNORECASE)
_LINK = re.compile(r"(?:link|segment|module|glied|ledd)[ _-]*(\d{1,4})\Z", re.IGNORECASE)
_CENTRE = re.compile(r"(com|cog|cm|centre[ _]of[ _]mass|center[ _]of[ _]mass)\Z", re.IGNORECASE)
_RATE = re.compile(r"(?:frame ?rate|data ?rate|sample ?rate|sampling|rate|fps)[^\d\n]{0,20}(\d+(?:[.,]\d+)?)", re.I)
_HERTZ = re.compile(r"(\d+(?:\.\d+)?)\s*Hz\b")


_LONGEST = 200
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What a column is.

    Attributes
    ----------
    what : str
        "time", "frame", "x", "y", "z", "qw" ... "qz", "roll", "pitch", "yaw", "vertical", "joint_yaw", "joint_pitch";
        "" for anything else.
    body : str
        Whose it is; "" where no name is given. Of a joint its number.
    unit : str
        As in the layout; "" where none is given.
    """

    what: str
    body: str = ""
    unit: str = ""


def unit_in(text: str) -> tuple[str, str]:
    """A name without the unit it ends in, and the unit ("" for none)."""
    match = _UNIT.search(text.lower()) if len(text) <= _LONGEST else None
    if match is None:
        return text.strip(), ""
    unit = _UNITS.get(match["unit"] or match["bare"], "")
    return (text[: match.start()].strip(" _"), unit) if unit else (text.strip(), "")


def link_of(body: str) -> int | None:
    """0-based link that a body's name tells, -1 for the centre of mass, None for neither."""
    match = _LINK.match(body.strip())
    if match:
        return int(match[1]) - 1
    return -1 if _CENTRE.match(body.strip()) else None


def rate_in(lines: list[str]) -> float | None:
    """The rate (Hz) that the lines over a table speak of."""
    for line in lines:
        match = _RATE.search(line) or _HERTZ.search(line)
        if match and float(match[1].replace(",", ".")) > 0:
            return float(match[1].replace(",", "."))
    return None


def headings(rows: list[list[str]], n_columns: int) -> list[Heading]:
    """What the columns are, by one or several rows of words over them (bodies, kinds, axes, units)."""
    rows = [[*row, *[""] * (n_columns - len(row))][:n_columns] for row in rows]
    units = [""] * n_columns
    kinds = [""] * n_columns
    names: list[list[str]] = []
    for row in rows:
        words = [cell.lower() for cell in row if cell]
        if words and all(word.strip("[]()") in _UNITS for word in words) and names:
            units = [_UNITS.get(cell.lower().strip("[]()"), "") for cell in row]
        elif words and sum(word in _KINDS for word in words) >= max(1, len(words) - 2):
            kinds = [_KINDS.get(cell.lower(), "") for cell in row]
        else:
            names.append(row)
    if not names:
        return [Heading("")] * n_columns
    axis = max(range(len(names)), key=lambda i: (sum(bool(_heading(cell).what) for cell in names[i]), i))
    bodies = _bodies(names[:axis], n_columns)
    found = []
    for column, cell in enumerate(names[axis]):
        heading = _heading(cell)
        what = heading.what
        if kinds[column] == "rotation" and what in ("x", "y", "z", "w"):
            what = f"q{what}"
        if what == "w":
            what = ""
        body = heading.body or (bodies[column] if what not in ("time", "frame") else "")
        found.append(Heading(what, body, heading.unit or units[column]))
    return _quaternions_apart(found)


def _bodies(rows: list[list[str]], n_columns: int) -> list[str]:
    """Names of bodies from the rows above the axes, each holding until the next one begins."""
    for row in reversed(rows):
        words = [cell for cell in row if cell.lower() not in _NO_NAMES]
        if not words or all(re.fullmatch(r"[\d.]+|[0-9A-Fa-f]{16,}", word) for word in words):
            continue
        names, last = [], ""
        for cell in row:
            last = cell if cell and cell.lower() not in _NO_NAMES else last
            names.append(last)
        return names
    return [""] * n_columns


def _heading(cell: str) -> Heading:
    name, unit = unit_in(cell.strip().strip('"'))
    low = name.lower()
    if low in _TIMES:
        return Heading("time", "", unit or _UNITS.get(low, "") if low in ("seconds", "milliseconds") else unit)
    if low in _FRAMES:
        return Heading("frame")
    joint = _JOINT.match(low)
    if joint and unit in ("rad", "deg"):
        return Heading(f"joint_{joint[2] or 'yaw'}", joint[1], unit)
    match = _WHAT.match(name) if len(name) <= _LONGEST else None
    if match is None:
        return Heading("")
    body, what = match["body"], match["what"]
    # "index" ends in x and is no coordinate: a body's name stands apart, or ends where a capital or digit begins.
    apart = not body or match["gap"] or body[-1].isdigit() or (what[0].isupper() and body[-1].islower())
    if not apart:
        return Heading("")
    body = re.sub(r"[\s_.:/|-]*(pos|position|coord|translation|rot|rotation|orientation|quat)\Z", "", body, flags=re.I)
    what = what.lower()
    return Heading(_MEANING.get(what, what), body.strip(" _.:/|-"), unit)


def _quaternions_apart(found: list[Heading]) -> list[Heading]:
    """Give each body but one rotation: a yaw alone is one about the vertical."""
    result = []
    of_body: dict[str, set[str]] = {}
    for heading in found:
        of_body.setdefault(heading.body, set()).add(heading.what)
    for heading in found:
        own = of_body[heading.body]
        what = heading.what
        if what in ("yaw", "vertical"):
            what = "yaw" if {"roll", "pitch", "yaw"} <= own else "vertical"
        result.append(Heading(what, heading.body, heading.unit))
    return result
