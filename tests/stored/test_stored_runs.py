"""Run files of earlier versions: they open, export the same table, and continue from their states.

`make` wrote them.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snakestudio import processor
from snakestudio._arrays import FloatArray
from snakestudio._version import __version__
from snakestudio.cli import main
from snakestudio.errors import RunFileError
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.recording import ContactRows, Rows
from snakestudio.model.robot.joint_axes import from_pairs
from snakestudio.model.robot.robot import Axis
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import CSV_SCENE_MARK, parse_scene
from snakestudio.runfile import states
from snakestudio.runfile.mcap import RunFile, open_run
from snakestudio.runfile.mcap.format import VERSION
from snakestudio.runfile.states import FORMAT, decode
from snakestudio.session.continuation import continue_run
from tests.stored.values import leaves, table_of
from tests.wording import naming

HERE = Path(__file__).resolve().parent
RUNS = [
    (folder.name, path.name.partition(".")[0])
    for folder in sorted(HERE.glob("[0-9]*"))
    for path in sorted((folder / "runs").glob("*.mcap.xz"))
]
ELSEWHERE_M = 1e-4
"""Tolerance of positions of links after continuing on another processor, with code tuned for one, or with a
changed engine. Roundings differ by 1e-16, and solvers end at small but different residuals; a contact
that therefore closes a step earlier or later moves a link by its distance in a step: 0.3 m/s for
0.25 ms. Processors that compute for the baseline give the same bits, and this is required."""

SOLVED_OTHERWISE = {"0.1.0": ("planar_nonsmooth", "spatial_nonsmooth", "planar_nonholonomic")}
"""Versions with other solution paths of their solvers, by formulation."""

SOLVED_OTHERWISE_M = 2e-3
"""Tolerance of positions of links there. With friction several velocities may solve a step to 1e-8, and the
path of the solver determines which one is found: 5.4e-4 m in these runs, from the first step with
another path on (with the same path, a start moved by 1e-12 m gives 2.4e-6 m)."""

ROUNDED_OTHERWISE = {
    "0.1.0": ("teleoperation",),
    "0.2.0": ("spatial_nonsmooth", "planar_nonsmooth", "planar_nonholonomic", "teleoperation"),
}
"""Versions whose solvers had the same paths with other roundings, by formulation or run: within
`ELSEWHERE_M` of the current results."""

NEW_FIELDS = {"torque": "None", "rate": next(leaves(np.zeros(0)))[1]} | {
    f"tip_{of}": (0.0).hex() for of in ("fx_n", "fy_n", "fz_n", "mx_nm", "my_nm", "mz_nm")
}
"""Parts that were added to states since 0.1.0, with their values for files without them."""


ADDED = re.compile(
    r"(head_)?heading_rad|forward_[xyz]|link_\d+_yaw_rad"
    r"|link_\d+_(obstacle|ground)_(along|across|up)_n"
)
"""Columns that tables of earlier versions do not have."""


COMPUTED = [run for run in RUNS if run[1] != "robot"]
"""Runs of engines; runs of robots cannot be computed again."""


@pytest.fixture
def unpacked(version: str, name: str, tmp_path: Path) -> Path:
    """The run file of a version and a name."""
    path = tmp_path / f"{name}.mcap"
    path.write_bytes(lzma.decompress((HERE / version / "runs" / f"{name}.mcap.xz").read_bytes()))
    return path


@pytest.fixture
def stored(unpacked: Path) -> Iterator[RunFile]:
    """The same, opened."""
    with open_run(unpacked) as run:
        yield run


def states_of(version: str) -> dict[str, list[tuple[float, list[list[str]]]]]:
    """Contents of the states of a version when it wrote them, by run."""
    states: dict[str, Any] = json.loads(
        lzma.decompress((HERE / version / "states.json.xz").read_bytes())
    )
    return states


def every(runs: list[tuple[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("version", "name"), runs, ids=[" ".join(run) for run in runs])


def scene_apart(table: bytes) -> tuple[Scene, list[bytes]]:
    """Return the scene in an exported table, and the other lines except the scene's digest.

    A scene is written with all of its keys, so text and digest change with every additional key. The
    plausibility is a result of this version, not of the file.
    """
    lines = [line for line in table.split(b"\n") if not line.startswith(b"# plausibility: ")]
    mark = CSV_SCENE_MARK.encode().rstrip()
    text = b"\n".join(
        line.removeprefix(mark).removeprefix(b" ") for line in lines if line.startswith(mark)
    )
    rest = [line for line in lines if not line.startswith((mark, b"# scene_sha256: "))]
    assert len(rest) == len(lines) - text.count(b"\n") - 2
    return parse_scene(text.decode()), rest


def without_added(lines: list[bytes], stored: list[bytes]) -> list[bytes]:
    """Return the lines of a table without the columns that were added after a stored one was written."""
    head = next(k for k, line in enumerate(lines) if line.startswith(b"time_s,"))
    before = next(line for line in stored if line.startswith(b"time_s,")).split(b",")
    names = lines[head].split(b",")
    added = [name for name in names if name not in before]
    assert all(ADDED.fullmatch(name.decode()) for name in added)
    chosen = [k for k, name in enumerate(names) if name in before]
    tables = (line.split(b",") for line in lines[head:])
    return lines[:head] + [
        b",".join(cells[k] for k in chosen) if len(cells) > 1 else b"".join(cells)
        for cells in tables
    ]


@every(RUNS)
def test_run_exports_the_same_table(unpacked: Path, version: str, name: str) -> None:
    stored_table = lzma.decompress((HERE / version / "tables" / f"{name}.csv.xz").read_bytes())
    scene, rest = scene_apart(table_of(unpacked))
    stored_scene, stored_rest = scene_apart(stored_table)
    assert without_added(rest, stored_rest) == stored_rest
    assert scene == stored_scene


KINDS = {
    "model": {
        "planar_nonsmooth",
        "spatial_nonsmooth",
        "planar_lagrangian",
        "planar_nonholonomic",
        "continuum_beam",
    },
    "controller": {
        "none",
        "heading",
        "path_following",
        "leader_follower",
        "strain_follower",
        "teleoperation",
    },
    "strain": {"peristalsis", "inching", "serpentine", "formulas"},
    "support": {"wave_anchors", "end_anchors", "rings", "friction"},
}


@pytest.mark.parametrize("version", sorted({version for version, _ in RUNS}))
def test_every_kind_is_stored(version: str) -> None:
    stored_kinds: dict[str, set[str]] = {part: set() for part in KINDS}
    for each, name in RUNS:
        if each == version:
            table = lzma.decompress(
                (HERE / version / "tables" / f"{name}.csv.xz").read_bytes()
            ).decode()
            for part, kind in re.findall(
                r'^#\| \[(\w+)\]\n#\| kind = "(\w+)"', table, re.MULTILINE
            ):
                stored_kinds.get(part, set()).add(kind)
    assert all(stored_kinds[part] >= kinds for part, kinds in KINDS.items())
    if version == __version__:
        assert (stored_kinds["controller"], stored_kinds["model"]) == (
            set(CONTROLLERS),
            set(FORMULATIONS),
        )


EVENTS = {"leader_follower": {"jam", "freed"}, "continued": {"continued"}, "set_points": {"impact"}}


@every(RUNS)
def test_notes_are_read(stored: RunFile, version: str, name: str) -> None:
    assert stored.info.version == version
    assert stored.info.complete is (name != "killed")
    if name == "robot":
        # 0.1.0 did not store it
        assert stored.info.robot == "" if version == "0.1.0" else "Lab robot"
        assert {event.text for event in stored.events} >= {"The robot is armed, and holds."}
        return
    assert "A note: μ is changed" in [event.text for event in stored.events]
    (change,) = stored.changes
    assert change.time == pytest.approx(0.12)
    scene = stored.scene_at(change.time)
    assert scene != stored.scene
    kinds = {event.kind for event in stored.events}
    assert kinds >= {
        "leader_follower": {"jam", "freed"},
        "continued": {"continued"},
        "set_points": {"impact"},
    }.get(name, set())


def as_written(saved: tuple[Any, ...], version: str) -> tuple[Any, ...]:
    """Return a state without what its migration has put into arrays."""
    checkpoint = saved[0]
    own = checkpoint.state[0]
    if version != "0.1.0" or checkpoint.kind != "planar_nonholonomic":
        return saved
    n = len(own.acts)
    assert not own.sums[-n:].any()
    shorter = own._replace(
        sums=own.sums[:-n], before=np.delete(own.before, range(-n - 1, -1), axis=1)
    )
    return replace(checkpoint, state=(shorter, *checkpoint.state[1:])), *saved[1:]


def in_pairs(pairs: FloatArray, axes: tuple[Axis, ...]) -> FloatArray:
    """Return yaw and pitch of every joint as in a file; checks that the migrated angles are those of the axes."""
    of_axes = from_pairs(pairs, axes)
    assert of_axes.shape == (*pairs.shape[:-2], len(axes))
    for number, axis in enumerate(axes):
        assert (
            of_axes[..., number].tobytes()
            == pairs[..., axis.joint, ("yaw", "pitch").index(axis.kind)].tobytes()
        )
    return pairs


@every(COMPUTED)
def test_states_contain_the_saved_values(
    stored: RunFile, version: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "from_pairs", in_pairs)
    stored_states = states_of(version)[name]
    checkpoints = list(stored.checkpoints())
    assert [time for time, _ in checkpoints] == [time for time, _ in stored_states]
    for (time, state), (_, expected) in zip(checkpoints, stored_states, strict=True):
        known = {where for where, _ in expected}
        restored: list[list[str]] = []
        for where, value in leaves(as_written(decode(state, stored.scene_at(time)), version)):
            if where in known:
                restored.append([where, value])
            else:
                assert value == NEW_FIELDS[re.split(r"\W+", where.rstrip("']"))[-1]], where
        assert restored == expected


@every(COMPUTED)
def test_run_continues_from_every_state_to_the_bit(
    stored: RunFile, version: str, name: str
) -> None:
    for time, _ in stored.checkpoints():
        continuation = continue_run(stored, time)
        assert continuation is not None
        assert continuation.notes == ()
        assert continuation.exact
        continuation.runner.recording.close()


@every(COMPUTED)
def test_continued_run_equals_the_uninterrupted_one(
    stored: RunFile, version: str, name: str
) -> None:
    time, _ = list(stored.checkpoints())[-1]  # after it nothing was changed
    uninterrupted = stored.rows(0, len(stored))
    continuation = continue_run(stored, time)
    assert continuation is not None
    runner = continuation.runner
    while runner.engine.step_count < uninterrupted.steps[-1]:  # a period at a time, as in `make`
        report = runner.advance(runner.scene.steps_per_period)
        assert report.ok, report.message
    rows = runner.recording.rows(0, len(stored))
    same = stored.about["computed_for"] == processor.computed_for()
    same &= not {stored.scene.model.kind, name}.intersection(ROUNDED_OTHERWISE.get(version, ()))
    tolerance = None if same else ELSEWHERE_M
    if stored.scene.model.kind in SOLVED_OTHERWISE.get(version, ()):
        tolerance = SOLVED_OTHERWISE_M
    assert_alike(rows, uninterrupted, tolerance)
    runner.recording.close()


def assert_alike(rows: Rows, expected: Rows, tolerance: float | None) -> None:
    """Check that rows are the same, to the bit or, for positions of links, within a tolerance (m)."""
    if tolerance is not None:
        assert rows.time.tobytes() == expected.time.tobytes()
        assert np.abs(rows.link_pose[:, :, :3] - expected.link_pose[:, :, :3]).max() < tolerance
        return
    for owner, one, other in (
        (Rows, rows, expected),
        (ContactRows, rows.contacts, expected.contacts),
    ):
        for field in fields(owner):
            if field.name != "contacts":
                assert getattr(one, field.name).tobytes() == getattr(other, field.name).tobytes(), (
                    field.name
                )


# --------------------------------------------------------------------------------------- newer ones


NEWEST = RUNS[-1][0]


def newer(path: Path) -> Path:
    """Return a run file of the next format, as a later version may write it."""
    data = path.read_bytes()
    mark = b"\x0e\x00\x00\x00format_version\x01\x00\x00\x001"
    assert data.count(mark) == 1
    path.write_bytes(data.replace(mark, mark[:-1] + b"%d" % (VERSION + 1)))
    return path


@every([(NEWEST, "heading")])
def test_run_file_of_a_newer_version_is_refused(
    unpacked: Path, version: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = (
        f"was recorded by SnakeStudio 0.2.0 in a newer format ({VERSION + 1}; this program reads up to {VERSION}). "
        "Update SnakeStudio."
    )
    with pytest.raises(RunFileError) as caught:
        open_run(newer(unpacked))
    assert sentence in str(caught.value)
    for arguments in (
        ["export", str(unpacked), "--csv", "-"],
        ["run", str(unpacked), "--from", "0.1"],
    ):
        assert main(arguments) == 2
        assert sentence in capsys.readouterr().err


@every([(NEWEST, "planar_lagrangian")])
def test_state_of_a_newer_version_is_refused(
    stored: RunFile, version: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stored.checkpoint_before

    def later(time: float) -> tuple[float, bytes] | None:
        checkpoint = before(time)
        return checkpoint and (
            checkpoint[0],
            b"SNKSTATE" + (FORMAT + 1).to_bytes(2, "little") + checkpoint[1][10:],
        )

    monkeypatch.setattr(stored, "checkpoint_before", later)
    continuation = continue_run(stored, 0.2)
    assert continuation is not None
    assert continuation.exact
    assert continuation.notes == (naming("newer"),)
    continuation.runner.recording.close()
