"""Meaning of the column names of a table: body, axis and unit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from snakestudio.model.tables.units import angle_unit_of, length_unit_of, time_unit_of

_KINDS = {
    "rotation": "rotation",
    "position": "position",
    "orientation": "rotation",
    "translation": "position",
}
_NO_NAMES = {
    "rigid body",
    "rigid body marker",
    "marker",
    "bone",
    "type",
    "name",
    "id",
    "parent",
    "",
}
_TIMES = {
    "time",
    "t",
    "timestamp",
    "time stamp",
    "zeit",
    "tid",
    "elapsed",
    "elapsed time",
    "seconds",
    "milliseconds",
    "stamp",
    "header stamp",
    "datetime",
    "date time",
    "date and time",
    "clock",
    "time of day",
    "utc",
    "nanoseconds",
    "microseconds",
    "rosbagtimestamp",
    "timestamps",
    "ts",
}
_FRAMES = {"frame", "frames", "frame#", "frame number", "sample", "samples", "field", "index", "n"}
_BARE_UNITS = "mm|cm|dm|um|µm|km|m|in|ft|rad|deg|s|sec|secs|ms|us|µs|ns|min"
_UNIT = re.compile(
    rf"\s*[\s_]*(?:\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\))\s*\Z|[_\s](?P<bare>{_BARE_UNITS})\Z",
    re.IGNORECASE,
)
_WHAT = re.compile(
    r"(?P<body>.*?)(?P<gap>[\s_.:/|-]*)"
    r"(?P<what>qw|qx|qy|qz|q0|q1|q2|q3|tx|ty|tz|rx|ry|rz|roll|pitch|yaw|heading|theta|psi|x|y|z|w)\Z",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?P<what>x|y|z)(?:[\s_.-]+(?P<body>.+)|(?P<number>\d{1,4}))\Z", re.IGNORECASE
)
_MEANING = {
    "tx": "x",
    "ty": "y",
    "tz": "z",
    "rx": "roll",
    "ry": "pitch",
    "rz": "yaw",
    "heading": "vertical",
    "theta": "vertical",
    "psi": "vertical",
    "q0": "qw",
    "q1": "qx",
    "q2": "qy",
    "q3": "qz",
}
_JOINT = re.compile(r"joint[ _-]*(\d{1,4})[ _-]*(yaw|pitch)?\Z", re.IGNORECASE)
_LINK = re.compile(
    r"(?:[^:]*:)?\s*(?:link|segment|module|glied|ledd)[ _-]*(\d{1,4})\Z", re.IGNORECASE
)
_CENTRE = re.compile(r"(com|cog|cm|centre[ _]of[ _]mass|center[ _]of[ _]mass)\Z", re.IGNORECASE)
_RATE = re.compile(
    r"(?:frame ?rate|data ?rate|sample ?rate|sampling|frequency|rate|fps)[^\d\n]{0,20}(\d+(?:[.,]\d+)?)",
    re.I,
)
_HERTZ = re.compile(r"(\d+(?:\.\d+)?)\s*Hz\b")
_EUROC = re.compile(r"(?P<kind>p|q|v|b_w|b_a)_[A-Z]{1,3}(?:_[A-Z]{1,3})?_(?P<axis>[xyzw])\Z")

_POSITION_WORDS = {
    "pos",
    "position",
    "coord",
    "coordinate",
    "coordinates",
    "translation",
    "trans",
    "location",
    "p",
}
_ROTATION_WORDS = {"rot", "rotation", "orientation", "quat", "quaternion", "q", "attitude"}
_MESSAGE_WORDS = {
    "field",
    "pose",
    "poses",
    "transform",
    "transforms",
    "msg",
    "data",
    "header",
    "point",
    "",
}
_NEVER = {
    "residual",
    "error",
    "err",
    "std",
    "sigma",
    "cov",
    "covariance",
    "var",
    "variance",
    "bias",
    "rms",
    "rmse",
    "quality",
    "deviation",
    "uncertainty",
    "confidence",
    "stddev",
}
_QUANTITIES = {
    "vel",
    "velocity",
    "velocities",
    "speed",
    "acc",
    "accel",
    "acceleration",
    "accelerometer",
    "force",
    "forces",
    "torque",
    "moment",
    "gyro",
    "gyroscope",
    "mag",
    "magnetometer",
    "magnetic",
    "imu",
    "angular",
    "linear",
    "twist",
    "wrench",
    "current",
    "voltage",
    "analog",
    "cop",
    "emg",
    "gravity",
    "jerk",
    "momentum",
    "impulse",
    "rate",
    "omega",
    "euler",
    "angle",
    "angles",
    "gaze",
    "pixel",
    "pixels",
    "px",
    "img",
    "image",
    "dot",
    "ddot",
    "delta",
    "diff",
    "scale",
    "size",
    "normal",
    "direction",
    "dir",
    "forward",
    "axis",
    "dimension",
    "dimensions",
    "extent",
    "offset",
    "increment",
}
_QUANTITY_LETTERS = {"v", "a", "f", "w", "m", "g", "b"}

_UNKNOWN = "not a position"
"""Reason why a column with an unknown name is ignored."""

_LONGEST = 200
"""Largest number of characters of a name."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Meaning of a column."""

    what: str
    """"time", "nanoseconds", "frame", "x", "y", "z", "qw" ... "qz", "roll", "pitch", "yaw",
    "vertical", "joint_yaw", "joint_pitch"; "" for anything else."""

    body: str = ""
    """Name of the body; "" if none is given. For a joint, its number."""

    unit: str = ""
    """As in the layout; "" if none is given, or it is unknown."""

    name: str = ""
    """The name as written."""

    reason: str = ""
    """Reason why the column is not used."""

    unknown_unit: str = ""
    """Unit of a position as written, if it is neither a length nor the unit of a known other
    quantity."""

    occurrence: int = 0
    """Number that a program has appended to a repeated name, as in "x.1"; 0 for
    none."""


def unit_in(text: str) -> tuple[str, str]:
    """Return a name without its unit suffix, and the unit ("" for none, or an unknown one)."""
    name, unit, _ = _split(text)
    return name, unit


def _split(text: str) -> tuple[str, str, str]:
    """Return the name, known unit and the unit as written."""
    match = _UNIT.search(text) if len(text) <= _LONGEST else None
    if match is None:
        return text.strip(), "", ""
    written = next(
        (part for part in match.group("square", "round", "bare") if part is not None), ""
    ).strip()
    unit = length_unit_of(written) or angle_unit_of(written) or time_unit_of(written) or ""
    name = text[: match.start()].strip(" _")
    if match["bare"] is not None and not name:
        return text.strip(), "", ""
    return name, unit, written


def link_of(body: str) -> int | None:
    """Return the 0-based link in a body's name, -1 for the centre of mass, None for neither."""
    match = _LINK.match(body.strip())
    if match:
        return int(match[1]) - 1
    return -1 if _CENTRE.match(body.strip()) else None


def rate_in(lines: list[str]) -> float | None:
    """Rate (Hz) given in the lines above a table."""
    for line in lines:
        match = _RATE.search(line) or _HERTZ.search(line)
        if match and float(match[1].replace(",", ".")) > 0:
            return float(match[1].replace(",", "."))
    return None


def headings(rows: list[list[str]], n_columns: int) -> list[Heading]:
    """Return the meaning of the columns, from one or several rows of names above them (bodies, kinds, axes, units)."""
    rows = [[*row, *[""] * (n_columns - len(row))][:n_columns] for row in rows]
    units = [""] * n_columns
    kinds = [""] * n_columns
    names: list[list[str]] = []
    for row in rows:
        cells = [cell.lower() for cell in row if cell]
        if cells and all(_is_unit(text) for text in cells) and names:
            units = row
        elif cells and sum(text in _KINDS for text in cells) >= max(1, len(cells) - 2):
            kinds = [_KINDS.get(cell.lower(), "") for cell in row]
        else:
            names.append(row)
    if not names:
        return [Heading("")] * n_columns
    axis = max(
        range(len(names)), key=lambda i: (sum(bool(heading_of(cell).what) for cell in names[i]), i)
    )
    bodies = _bodies(names[:axis], n_columns)
    result = []
    for column, cell in enumerate(names[axis]):
        heading = heading_of(f"{cell} [{units[column].strip('[]()')}]" if units[column] else cell)
        what = heading.what
        if kinds[column] == "rotation" and what in ("x", "y", "z", "w"):
            what = f"q{what}"
        if what == "w":
            what = ""
        body = heading.body or (
            bodies[column] if what not in ("time", "frame", "nanoseconds") else ""
        )
        reason = heading.reason or ("" if what else _UNKNOWN)
        result.append(replace(heading, what=what, body=body, name=cell, reason=reason))
    return _one_rotation_each(_without_letters(_by_repetition(result)))


def _by_repetition(columns: list[Heading]) -> list[Heading]:
    """Headings in which a name that occurs over two or three columns in sequence is that of their x, y and z."""
    if any(each.what in ("x", "y", "z") for each in columns):
        return columns
    runs = [
        list(run)
        for _, run in groupby(range(len(columns)), key=lambda i: (columns[i].name, columns[i].what))
    ]
    runs = [
        run
        for run in runs
        if len(run) > 1 and columns[run[0]].name and columns[run[0]].reason == _UNKNOWN
    ]
    sizes = {len(run) for run in runs}
    names = [columns[run[0]].name for run in runs]
    if sizes not in ({2}, {3}) or len(set(names)) < len(names):
        return columns
    result = list(columns)
    for run in runs:
        body, parts, _ = _body(unit_in(columns[run[0]].name)[0])
        if not parts & (_NEVER | _QUANTITIES):
            for column, axis in zip(run, "xyz", strict=False):
                unit = unit_in(columns[column].name)[1]
                result[column] = replace(
                    columns[column], what=axis, body=body, unit=unit, reason=""
                )
    return result


def _is_unit(text: str) -> bool:
    return bool(length_unit_of(text) or angle_unit_of(text) or time_unit_of(text))


def _bodies(rows: list[list[str]], n_columns: int) -> list[str]:
    """Return the names of bodies from the rows above the axes, each valid up to the next one."""
    for row in reversed(rows):
        cells = [cell for cell in row if cell.lower() not in _NO_NAMES]
        if not cells or all(re.fullmatch(r"[\d.]+|[0-9A-Fa-f]{16,}", text) for text in cells):
            continue
        names = []
        last = ""
        for cell in row:
            last = cell if cell and cell.lower() not in _NO_NAMES else last
            names.append(last)
        return names
    return [""] * n_columns


def heading_of(cell: str) -> Heading:
    """Return the meaning of a name."""
    text = cell.strip().strip('"').lstrip("#%").strip()
    name, unit, written = _split(text)
    low = re.sub(r"[\s_]+", " ", name.lower()).strip()
    heading = _time(low, name, unit) or _part(name, unit, written)
    return replace(
        heading, name=cell.strip(), reason=heading.reason or ("" if heading.what else _UNKNOWN)
    )


def _time(low: str, name: str, unit: str) -> Heading | None:
    """Return the heading of a column of times or frames; None for any other."""
    path = [part for part in re.split(r"[\s./]+", low) if part]
    last = path[-1] if path else ""
    stamped = "stamp" in path[:-1]
    if stamped and last in ("sec", "secs", "s"):
        return Heading("time", "", "s")
    if len(path) > 1 and (
        last in ("nsec", "nsecs", "nanosec", "nanosecs") or (stamped and last == "ns")
    ):
        return Heading("nanoseconds", "", "ns")
    own = time_unit_of(low) or ""
    if len(low) > 1 and own not in ("", "min", "h"):
        return Heading("time", "", own)
    if low in _TIMES or (stamped is False and last in ("stamp", "timestamp") and len(path) > 1):
        return Heading("time", "", unit or own)
    if (
        unit
        and time_unit_of(unit) == unit
        and last in ("time", "timestamp", "stamp", "elapsed", "t")
    ):
        return Heading("time", "", unit)
    if low in _FRAMES:
        return Heading("frame")
    joint = _JOINT.match(name)
    if joint and unit in ("rad", "deg"):
        return Heading(f"joint_{(joint[2] or 'yaw').lower()}", joint[1], unit)
    return None


def _part(name: str, unit: str, written: str) -> Heading:
    """Return the heading of a coordinate or a component of a rotation."""
    if len(name) > _LONGEST:
        return Heading("")
    euroc = _EUROC.match(name)
    if euroc:
        if euroc["kind"] in ("p", "q"):
            rotated = euroc["kind"] == "q"
            return _checked(f"q{euroc['axis']}" if rotated else euroc["axis"], "", unit, written)
        return Heading("", reason="a velocity" if euroc["kind"] == "v" else "a bias")
    occurrence = 0
    again = re.fullmatch(r"(.*[A-Za-z])\.(\d{1,3})", name)
    if again:
        name = again[1]
        occurrence = int(again[2])
    if re.fullmatch(r"p[xyz]", name, re.IGNORECASE):
        return replace(_checked(name[1].lower(), "", unit, written), occurrence=occurrence)
    match = _WHAT.match(name)
    if match is not None:
        body = match["body"]
        what = match["what"]
        # "index" ends in x but is not a coordinate: a body's name is separated, or ends where a
        # capital or digit begins.
        apart = (
            not body
            or match["gap"]
            or body[-1].isdigit()
            or (what[0].isupper() and body[-1].islower())
        )
        if not apart:
            match = None
    if match is None:
        before = _BEFORE.match(name)
        if before is None:
            return Heading("")
        body = before["body"] or f"Body {before['number']}"
        what = before["what"]
        if before["body"] and _WHAT.fullmatch(before["body"]) and len(before["body"]) == 1:
            return Heading("")
    body, parts, rotated = _body(body)
    if parts & _NEVER:
        return Heading("", reason=f"{min(parts & _NEVER)}, not a position")
    if parts & _QUANTITIES and not length_unit_of(written):
        return Heading("", reason=f"{min(parts & _QUANTITIES)}, not a position")
    what = what.lower()
    what = _MEANING.get(what, what)
    if rotated and what in ("x", "y", "z", "w"):
        what = f"q{what}"
    return replace(_checked(what, body, unit, written), occurrence=occurrence)


def _body(text: str) -> tuple[str, set[str], bool]:
    """Return the body in a name, the words of the name, and whether they describe a rotation."""
    separated = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    tokens = {token.lower() for token in re.split(r"[^A-Za-z]+", separated) if token}
    if re.search(r"[./]", text):
        parts = [part for part in re.split(r"[./]+", text) if part.lower() not in _MESSAGE_WORDS]
        rotated = bool(parts) and parts[-1].lower() in _ROTATION_WORDS
        parts = [part for part in parts if part.lower() not in _POSITION_WORDS | _ROTATION_WORDS]
        return (parts[-1].strip(" _:|-") if parts else ""), tokens, rotated
    pieces = re.split(r"([\s_.:/|-]+|(?<=[a-z])(?=[A-Z]))", text.strip(" _.:/|-"))
    rotated = False
    while pieces and (
        not pieces[-1]
        or pieces[-1].lower() in _POSITION_WORDS | _ROTATION_WORDS
        or not pieces[-1].strip(" _.:/|-")
    ):
        rotated |= pieces[-1].lower() in _ROTATION_WORDS
        pieces.pop()
    return "".join(pieces).strip(" _.:/|-"), tokens, rotated


def _checked(what: str, body: str, unit: str, written: str) -> Heading:
    """Return a heading if its unit fits the quantity."""
    if what in ("x", "y", "z") and written:
        if length_unit_of(written):
            return Heading(what, body, unit)
        if unit or re.search(r"[/^]|\bs-?\d|\bn\b|newton|volt|tesla|\bg\b", written, re.IGNORECASE):
            return Heading("", reason=f"in {written}, not a position")
        return Heading(what, body, "", unknown_unit=written)
    if what in ("roll", "pitch", "yaw", "vertical") and written and not angle_unit_of(written):
        return Heading("", reason=f"in {written}, not an angle")
    return Heading(what, body, unit)


def _without_letters(columns: list[Heading]) -> list[Heading]:
    """Return the headings without single-letter "bodies" of other quantities: v_x is a velocity next to an x or p_x."""
    letters = {
        each.body.lower()
        for each in columns
        if each.what in ("x", "y", "z") and len(each.body) == 1
    }
    others = {each.body for each in columns if each.what in ("x", "y", "z") and len(each.body) != 1}
    ordinary = letters >= {"a", "b"} and not others and not letters & {"v", "f", "w"}
    if not letters & _QUANTITY_LETTERS or ordinary:
        return columns
    return [
        replace(
            each, what="", body="", reason=f'"{each.body}" may be a quantity other than a position'
        )
        if each.body.lower() in _QUANTITY_LETTERS
        and each.what
        and not each.what.startswith("joint")
        else each
        for each in columns
    ]


def _one_rotation_each(columns: list[Heading]) -> list[Heading]:
    """Keep only one rotation per body; a yaw without other angles is one about the vertical."""
    of_body: dict[str, set[str]] = {}
    for heading in columns:
        of_body.setdefault(heading.body, set()).add(heading.what)
    result = []
    for heading in columns:
        what = heading.what
        if what in ("yaw", "vertical"):
            what = "yaw" if {"roll", "pitch", "yaw"} <= of_body[heading.body] else "vertical"
        result.append(replace(heading, what=what))
    return result
