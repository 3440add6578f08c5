"""What a file is that is dropped on the window: a robot, obstacles, a measured track, or a run with its scene."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from snakestudio.analysis.experiment.importing import MARKERS, guess_layout
from snakestudio.errors import SnakeStudioError
from snakestudio.model.obstacles.importing import read_circles
from snakestudio.model.scene_file import read_scene_text
from snakestudio.robot_files.files import ENDINGS

Kind = Literal["scene", "obstacles", "robot", "experiment", "unclear"]

_RADIUS = re.compile(r"(?:^|[,;\t ])\s*(?:r|rad|radius|d|dia|diameter)\b")

_LARGE = 4_000_000
"""Bytes; no table of obstacles is so long."""


def kind_of(path: Path) -> Kind:
    """What a file holds, by its ending and by what its columns say.

    A table of x, y and radius is one of obstacles, one with a time is a measurement. "unclear" is
    what could be both or neither, such as three columns of numbers without a header.
    """
    suffix = path.suffix.lower()
    if suffix in (".toml", ".svg"):
        return "scene" if suffix == ".toml" else "obstacles"
    if suffix in ENDINGS:
        return "robot"
    if suffix in MARKERS:
        return "experiment"
    if _holds_scene(path):
        return "scene"
    try:
        if path.stat().st_size > _LARGE:
            return "experiment"
    except OSError:
        return "unclear"
    circles = _holds_circles(path)
    track = _holds_track(path)
    if circles != track:
        return "obstacles" if circles else "experiment"
    # One of obstacles with a mistake in it is refused with the line; that is more help than a
    # question.
    return "obstacles" if not circles and _names_radius(path) else "unclear"


def _holds_scene(path: Path) -> bool:
    try:
        read_scene_text(path)
    except SnakeStudioError:
        return False
    return True


def _holds_circles(path: Path) -> bool:
    try:
        read_circles(path)
    except SnakeStudioError:
        return False
    return True


def _names_radius(path: Path) -> bool:
    """Whether the words over the columns tell of circles."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return _RADIUS.search(file.readline(1000).lower()) is not None
    except OSError:
        return False


def _holds_track(path: Path) -> bool:
    try:
        return not guess_layout(path).problems()
    except SnakeStudioError:
        return False
