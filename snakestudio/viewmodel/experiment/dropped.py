"""Detection of dropped files: a robot, obstacles, a measured track, or a run with its scene."""

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
"""Size above which a file is not a table of obstacles, bytes."""


def kind_of(path: Path) -> Kind:
    """Detect the kind of a file from its suffix and the titles of its columns.

    A table of x, y and radius has obstacles; a table with times is a measurement. "unclear" means both
    or neither is possible, for example three columns of numbers without a header.
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
    # A table of obstacles with an error is rejected with its line, which helps more than a
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
    """Return whether the titles of the columns describe circles."""
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
