"""Description at the start of a run file: scene, program, computer, columns; and the `RunInfo` of a file."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from snakestudio import processor
from snakestudio._version import __version__
from snakestudio.inputs import SCENE, count, parse_json
from snakestudio.model.edits import tree
from snakestudio.model.plausibility import Plausibility, summary_of
from snakestudio.model.recording import Schema
from snakestudio.model.robot.overrides import AXES
from snakestudio.model.robot.robot import Axis
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import dump_scene
from snakestudio.model.snapshot import Fields
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.runfile.mcap.blocks import Columns
from snakestudio.runfile.mcap.format import VERSION

_MOST_LINKS = 10_000
_MOST_COLUMNS = 20_000
_LONGEST_NAME = 200

_PACKAGES = ("numpy", "numba", "scipy", "sympy")


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a run, apart from its scene."""

    scene_file: str = ""
    """Name of the scene's file; empty if never saved."""

    base_dir: Path | None = None
    """Base folder of file names in the scene."""

    robot: str = ""
    """Name of the profile of the real robot; empty for a simulation."""

    step_estimate: StepEstimate | None = None
    """Estimated error of the time step, if it was checked before."""

    plugins: tuple[str, ...] = ()
    """One line per plug-in that was used in the run; see `plugin_records`."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """Description of a run file, available without reading its rows."""

    path: Path
    created: datetime
    """Start of the run, UTC."""

    title: str
    """Title of the scene."""

    scene_file: str
    """File of the scene."""

    model: str
    """Kind of the model, ``scene.model.kind``."""

    duration: float
    """Simulated time of the last row, s."""

    rows: int
    size_bytes: int
    complete: bool
    """False if the file has no end: the run is still active, or its program ended without writing
    it."""

    version: str
    """Version of the program that wrote it."""

    robot: str = ""
    """Name of the real robot; empty for a simulation."""

    plausibility: Plausibility | None = None
    """Result of the plausibility checks; None if the run was not checked."""

    @property
    def plausibility_text(self) -> str:
        """Summary of the plausibility of a simulated run; "" for a measured one."""
        return "" if self.robot else summary_of(self.plausibility)


def about(
    scene: Scene, schema: Schema, columns: Columns, origin: Origin, created: datetime
) -> dict[str, str]:
    """Return the metadata record at the start of a run file."""
    return {
        "format_version": str(VERSION),
        "program": "SnakeStudio",
        "version": __version__,
        "created": created.astimezone(UTC).isoformat(),
        "title": scene.title,
        "model": scene.model.kind,
        "scene_file": origin.scene_file,
        "robot": origin.robot,
        **({"step_check": origin.step_estimate.text} if origin.step_estimate is not None else {}),
        **({"plugins": json.dumps(origin.plugins)} if origin.plugins else {}),
        "base_folder": str(origin.base_dir.resolve()) if origin.base_dir is not None else "",
        "scene": dump_scene(scene),
        "seeds": json.dumps(dict(_seeds(tree(scene), ""))),
        "python": platform.python_version(),
        "packages": json.dumps(_versions()),
        "machine": platform.machine(),
        "computed_for": processor.computed_for(),
        "system": platform.platform(),
        "schema": json.dumps({**asdict(schema), "valid": schema.valid.value}),
        "columns": json.dumps(columns.plain()),
        "views": (
            "For other programs, joints, poses and scalar values of every row follow as messages of "
            "standard types. All times are simulated ones."
        ),
    }


def schema_of(text: str, scene: Scene) -> Schema:
    """Parse the schema written by `about`; the scene decides which end is the head.

    Raises `ValueError`, `TypeError`, `KeyError` or `OverflowError` if it is invalid.
    """
    plain = parse_json(text, SCENE)
    axes = scene.body.axes  # older versions only stored whether there was any pitch
    if "has_pitch" not in plain:
        axes = tuple(Axis(int(joint), str(kind)) for joint, kind in plain["axes"])
    schema = Schema(
        n_links=int(plain["n_links"]),
        axes=axes,
        energy=tuple(map(str, plain["energy"])),
        extra=tuple(map(str, plain["extra"])),
        valid=Fields(int(plain["valid"])),
        sections=tuple(map(float, plain["sections"])),
        n_holds=int(plain["n_holds"]),
        head=scene.body.head_part,
        head_last=scene.body.head_last,
        link_shares=scene.body.mass_shares,
    )
    count(schema.n_links, _MOST_LINKS, "links")
    count(len(schema.extra) + len(schema.energy) + schema.n_holds, _MOST_COLUMNS, "columns")
    names = (*schema.energy, *schema.extra)
    if schema.n_links < 1 or schema.n_holds < 0 or len(schema.sections) not in (0, schema.n_links):
        raise ValueError("there is no such body")
    order = [(axis.joint, AXES.index(axis.kind)) for axis in axes]
    if order != sorted(set(order)) or any(not 0 <= joint < schema.n_joints for joint, _ in order):
        raise ValueError("there are no such joints")
    if len(set(names)) < len(names) or any(not 0 < len(name) <= _LONGEST_NAME for name in names):
        raise ValueError("its column names are not unique")
    return schema


def fits(schema: Schema, scene: Scene) -> bool:
    """Return whether rows of a schema match a scene, because exports and drawings use the body of either."""
    body = scene.body
    return (schema.n_links, len(schema.sections), schema.axes) == (
        body.n_parts,
        len(body.abscissas),
        body.axes,
    )


def _seeds(part: Any, key: str) -> Iterator[tuple[str, int]]:
    """Yield all seeds in a scene by dotted key; they determine all random numbers of the run."""
    if isinstance(part, dict):
        for name, value in part.items():
            if (name == "seed" or name.endswith("_seed")) and isinstance(value, int):
                yield f"{key}{name}", value
            else:
                yield from _seeds(value, f"{key}{name}.")
    elif isinstance(part, list):
        for i, value in enumerate(part):
            yield from _seeds(value, f"{key[:-1]}[{i + 1}].")


@cache
def _versions() -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
