"""Recognized content of a measurement file, shown on import and included in reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from snakestudio.text import counted


@dataclass(frozen=True, slots=True)
class RecognizedBody:
    """Tracked body."""

    name: str
    kind: str
    """Kind of body in the terms of the file: rigid body, marker, bone, segment, trajectory."""
    oriented: bool = False
    gaps: int = 0
    """Number of intervals without sight of the body, between its first and last sighting."""
    unseen: int = 0
    """Number of frames without sight of the body."""


@dataclass(frozen=True, slots=True)
class IgnoredColumns:
    """Columns that were not read."""

    name: str
    reason: str
    count: int = 1

    def __str__(self) -> str:
        many = f", {self.count} columns" if self.count > 1 else ""
        return f"{self.name} ({self.reason}{many})"


@dataclass(frozen=True, slots=True)
class Recognition:
    """Recognized content of a file."""

    file_type: str
    """Type of the file, with its version if stated: "OptiTrack Motive CSV, format 1.23"."""
    bodies: tuple[RecognizedBody, ...] = ()
    length_unit: str = ""
    angle_unit: str = ""
    """Unit of angles; "" if no angle is read."""
    up: str = "z"
    """Axis of the file that points up."""
    rate_hz: float = 0.0
    frames: int = 0
    duration_s: float = 0.0
    clock: str = ""
    """Meaning of the times in the file if they are not seconds from the start of a measurement; else
    ""."""
    ignored: tuple[IgnoredColumns, ...] = ()
    remarks: tuple[str, ...] = ()
    summary: str = ""
    """Sentence on how the file was read."""

    def sentences(self) -> tuple[str, ...]:
        """Return the notes on the file as sentences."""
        result = [self.summary, *self.remarks]
        if self.ignored:
            result.append(f"Ignored: {ignored_text(self.ignored)}.")
        if self.clock:
            result.append(f"The clock of the file is {self.clock}; times count from its first row.")
        return tuple(filter(None, result))

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Return the captions and texts for a table with two columns."""
        units = f"lengths in {self.length_unit}, {self.up} up"
        if self.angle_unit:
            units += f", angles in {self.angle_unit}"
        rate = f"{self.frames} frames at {self.rate_hz:.6g} Hz, {self.duration_s:.6g} s"
        result = [
            ("File", self.file_type),
            ("Bodies", _bodies(self.bodies)),
            ("Units", units),
            ("Frames", rate),
        ]
        if self.clock:
            result.append(("Clock", self.clock))
        result.append(("Gaps", _gaps(self.bodies)))
        if self.ignored:
            result.append(("Ignored", ignored_text(self.ignored)))
        result += [("Remarks" if i == 0 else "", remark) for i, remark in enumerate(self.remarks)]
        return tuple(result)


_MOST_BODIES = 12
_MOST_IGNORED = 40


def ignored_text(ignored: Sequence[IgnoredColumns]) -> str:
    """Return the ignored columns in one line; beyond a limit only their number."""
    text = ", ".join(map(str, ignored[:_MOST_IGNORED]))
    more = len(ignored) - _MOST_IGNORED
    return f"{text}, and {more} more" if more > 0 else text


def _bodies(bodies: Sequence[RecognizedBody]) -> str:
    groups: dict[tuple[str, bool], list[str]] = {}
    for body in bodies:
        groups.setdefault((body.kind, body.oriented), []).append(body.name)
    parts = []
    for (kind, oriented), names in groups.items():
        how = " with orientation" if oriented else ""
        listed = ", ".join(names[:_MOST_BODIES]) + (", ..." if len(names) > _MOST_BODIES else "")
        parts.append(f"{counted(len(names), kind)}{how}: {listed}")
    return "; ".join(parts)


def _gaps(bodies: Sequence[RecognizedBody]) -> str:
    with_gaps = [body for body in bodies if body.unseen]
    if not with_gaps:
        return "none"
    text = "; ".join(
        f"{body.name}: {body.unseen} frames not seen, {counted(body.gaps, 'gap')}"
        for body in with_gaps[:_MOST_BODIES]
    )
    more = len(with_gaps) - _MOST_BODIES
    return f"{text}; and {more} more bodies" if more > 0 else text
