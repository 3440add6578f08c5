"""File headers that reproduce a run: program, scene and all changes during the run."""

from __future__ import annotations

import contextlib
import json
import math
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from snakestudio import processor
from snakestudio._version import __version__
from snakestudio.analysis.with_derived import WithDerived
from snakestudio.errors import SceneError
from snakestudio.inputs import SCENE, InputError, count, leading_lines, parse_json
from snakestudio.model.events import MOST_CHANGES, Change
from snakestudio.model.plausibility import PLAUSIBLE, Plausibility
from snakestudio.model.pull import MOST_PULLS, Pull, plain_pull, pull_from_plain
from snakestudio.model.recording import Recording
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import CSV_PLUGIN_MARK, CSV_SCENE_MARK, dump_scene, scene_hash
from snakestudio.model.snapshot import Fields
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.plausibility.monitor import plausibility_of
from snakestudio.runfile.mcap.block_recording import BlockRecording

_CHANGE = "# change: "
_PULL = "# pull: "
_STEP_CHECK = "# step_check: "
_PLAUSIBILITY = "# plausibility: "
_NOT_REPLAYED = ("run.duration_s",)


def header_lines(recording: Recording, scene_file: str | None = None) -> list[str]:
    """Return the lines starting with ``#`` that describe the origin of a run; `snakestudio run FILE.csv` repeats it.

    Parameters
    ----------
    scene_file : str, optional
        Name of the scene's file.
    """
    scene = scene_to_rebuild(recording)
    begin = _begin(recording)
    end = float(recording.times[-1])
    return [
        *origin_lines(scene, scene_file),
        f"# model: {scene.model.kind}",
        f"# rows: {len(recording)}, {begin:.9g} to {end:.9g} s",
        *(
            ("# measured: by a robot, not computed; run again, it is simulated",)
            if _measured(recording)
            else ()
        ),
        *(f"{CSV_PLUGIN_MARK}{line}" for line in plugins_of(recording)),
        *_derived_lines(recording),
        *_step_lines(recording),
        *_plausibility_lines(recording),
        "# To run it again: snakestudio run THIS_FILE.csv --csv AGAIN.csv",
        *change_lines(recording.changes),
        *pull_lines(recording.pulls),
        *scene_lines(scene),
    ]


def _derived_lines(recording: Recording) -> list[str]:
    """Return the lines with the definitions of derived columns."""
    derived = recording.derived if isinstance(recording, WithDerived) else {}
    return [f"# derived: {name} = {signal.text}" for name, signal in derived.items()]


def plugins_of(recording: Recording) -> tuple[str, ...]:
    """Return a line with name and hash for each plug-in that a recording depends on."""
    plain = recording.recording if isinstance(recording, WithDerived) else recording
    return plain.plugins if isinstance(plain, BlockRecording) else ()


def step_estimate_of(recording: Recording) -> StepEstimate | None:
    """Step estimate of a recording; None unless the same run was checked."""
    plain = recording.recording if isinstance(recording, WithDerived) else recording
    estimate = plain.step_estimate if isinstance(plain, BlockRecording) else None
    if estimate is None or not estimate.is_of(
        scene_hash(scene_to_rebuild(plain)), len(repeated_edits(plain))
    ):
        return None
    return estimate


def known_plausibility(recording: Recording) -> Plausibility | None:
    """Return the result of the plausibility checks of a simulated run, computed if it is not stored.

    None if no check applies, as for a measured run.
    """
    plain = recording.recording if isinstance(recording, WithDerived) else recording
    if _measured(plain) or not len(plain):
        return None
    result = plausibility_of(plain, getattr(plain, "base_dir", None))
    return result if result.checked else None


def plausibility_notes(recording: Recording) -> list[str]:
    """Return the sentences on the violations of a run, for reports; empty for a plausible or measured run."""
    result = known_plausibility(recording)
    violations = result.violations if result is not None else ()
    return [f"The run is not plausible: {violation.text}" for violation in violations]


def _plausibility_lines(recording: Recording) -> list[str]:
    """Return a line for each violation of the plausibility checks."""
    result = known_plausibility(recording)
    if result is None:
        return []
    lines = [f"{violation.check}: {violation.text}" for violation in result.violations]
    return [_PLAUSIBILITY + line for line in lines or [PLAUSIBLE]]


def _step_lines(recording: Recording) -> list[str]:
    """Return the line with the step estimate, for `read_step_estimate`."""
    estimate = step_estimate_of(recording)
    return [] if estimate is None else [_STEP_CHECK + estimate.text]


def read_step_estimate(path: Path) -> StepEstimate | None:
    """Read the step estimate in the header of an exported CSV; None if there is no valid one."""
    with contextlib.suppress(InputError):
        for line in leading_lines(path):
            if line.startswith(_STEP_CHECK):
                return StepEstimate.read(line[len(_STEP_CHECK) :])
    return None


def _begin(recording: Recording) -> float:
    """Start time of the rows, s; 0 if the first row is the start, which a robot reports slightly later."""
    first = float(recording.times[0])
    return first if first * recording.scene.run.log_rate_hz > 1.0 else 0.0


def _measured(recording: Recording) -> bool:
    """Return whether a robot was driven: simulated runs record works, which robots do not report."""
    return Fields.ENERGY not in recording.schema.valid


def scene_to_rebuild(recording: Recording) -> Scene:
    """Return the scene of a run whose repetition ends where this run did, even if it was stopped early or extended."""
    scene = recording.scene
    steps = max(1, round(float(recording.times[-1]) / scene.solver.step_s))
    if steps == scene.n_steps:
        return scene
    duration = steps * scene.solver.step_s
    return scene.model_copy(update={"run": scene.run.model_copy(update={"duration_s": duration})})


def replayed(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes of a run that apply when it is repeated: its length is known then."""
    repeated = (
        Change(
            change.time,
            {key: value for key, value in change.values.items() if key not in _NOT_REPLAYED},
        )
        for change in changes
    )
    return tuple(change for change in repeated if change.values)


def repeated_edits(recording: Recording) -> tuple[Change | Pull, ...]:
    """Return all changes and pulls of a run that apply when it is repeated, ordered by time."""
    return _in_order(replayed(recording.changes), recording.pulls)


def _in_order(changes: Iterable[Change], pulls: Iterable[Pull]) -> tuple[Change | Pull, ...]:
    """Return the order by time; at the same time changes come first, as in the run."""
    return tuple(sorted((*changes, *pulls), key=lambda edit: edit.time))


def origin_lines(scene: Scene, scene_file: str | None = None) -> list[str]:
    """Return the lines with the program, the machine and the scene of a file."""
    return [
        f"# SnakeStudio {__version__}",
        f"# made with: {software_versions()}",
        f"# scene: {scene_file or 'unsaved'}",
        f"# scene_sha256: {scene_hash(scene)}",
    ]


def software_versions() -> str:
    """Return the versions of the numerical packages, and the machine and processor they run on."""
    versions = f"Python {platform.python_version()}, {_versions(('numpy', 'numba'))}"
    computer = processor.computed_for()
    return f"{versions}, {platform.machine()}, {computer if processor.target().tuned else f'computed for {computer}'}"


def change_lines(changes: Iterable[Change]) -> list[str]:
    """Return the lines with the changes during a run, for `read_changes`."""
    return [
        _CHANGE + json.dumps({"time_s": change.time, "values": change.values}, ensure_ascii=False)
        for change in replayed(changes)
    ]


def pull_lines(pulls: Iterable[Pull]) -> list[str]:
    """Return the lines with the pulls on the robot, for `read_changes`: each acts until the next one."""
    return [_PULL + json.dumps({"time_s": pull.time, **plain_pull(pull)}) for pull in pulls]


def scene_lines(scene: Scene) -> list[str]:
    """Return the lines with the whole scene, for `load_scene`."""
    return [f"{CSV_SCENE_MARK}{line}".rstrip() for line in dump_scene(scene).splitlines()]


def _versions(packages: Iterable[str]) -> str:
    versions = []
    for package in packages:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(versions)


def read_changes(path: Path) -> tuple[Change | Pull, ...]:
    """Read the changes and pulls in the header of an exported CSV, ordered by time.

    Raises `SceneError` if such a line is invalid.
    """
    changes: list[Change] = []
    pulls: list[Pull] = []
    try:
        for number, line in enumerate(leading_lines(path), 1):
            if line.startswith(_CHANGE):
                changes.append(_change(line[len(_CHANGE) :], f"{path}: line {number}"))
                count(
                    len(changes),
                    MOST_CHANGES,
                    "changes in it",
                    "choose a CSV that SnakeStudio exported",
                )
            elif line.startswith(_PULL):
                pulls.append(_pull(line[len(_PULL) :], f"{path}: line {number}"))
                count(
                    len(pulls), MOST_PULLS, "pulls in it", "choose a CSV that SnakeStudio exported"
                )
    except InputError as error:
        raise SceneError(f"{path}: {error}") from None
    return _in_order(changes, pulls)


def _pull(text: str, where: str) -> Pull:
    """Parse a pull from a line."""
    try:
        entry = parse_json(text, SCENE)
        return pull_from_plain(float(entry["time_s"]), entry)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise SceneError(f"{where} is not a valid pull. Remove or correct it.") from None


def _change(text: str, where: str) -> Change:
    """Parse a change from a line."""
    try:
        entry = parse_json(text, SCENE)
        time = float(entry["time_s"])
        values = entry["values"]
        if not (math.isfinite(time) and isinstance(values, dict)):
            raise ValueError(text)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise SceneError(f"{where} is not a valid change. Remove or correct it.") from None
    return Change(time, values)
