"""Files of all formats appear when they are complete: cancelled and failed exports keep the old file."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snakestudio import api
from snakestudio.analysis.comparison.step_size import QuantityCheck, StepCheck, StepRun
from snakestudio.errors import ExportError, UsageError
from snakestudio.export.formats import (
    EXPORTS,
    ExportKind,
    FigureOptions,
    SceneSource,
    Written,
    write_as,
)
from snakestudio.export.step_size_tables import step_report
from snakestudio.export.video_options import VideoOptions
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from snakestudio.session.contact_problem_file import EngineProblem
from snakestudio.session.runner import Runner

OLD = b"old"
OPTIONS: dict[str, Any] = {
    "video": VideoOptions(width=64, height=48, fps=10, time_stamp=False),
    "figures": FigureOptions(".svg"),
}
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
CASES = [
    (kind.name, ending)
    for kind in EXPORTS.values()
    for ending in (kind.endings or ("",))
    if ending not in (".mkv", ".webm", ".mov", ".pdf")  # like .mp4 and .svg, and slow
]
CANCELLABLE = [case for case in CASES if EXPORTS[case[0]].reports_progress]


class Image:
    """Image of the view, as Qt's."""

    def save(self, name: str, form: str) -> bool:
        Path(name).write_bytes(b"pixels")
        return True


@pytest.fixture(scope="module")
def subjects() -> dict[str, Any]:
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    run = api.simulate_scene(with_values(scene, {"run.duration_s": 0.3}), scene_file="short.toml")
    runner = Runner(run.scene)
    runner.advance(20)
    steps = (StepRun(run.scene, None),)
    speed = QuantityCheck("speed_mps", "Mean speed", "m/s", (0.1,), 0.001, 0.1, "value", "spread")
    check = StepCheck(run.scene, (), steps, (speed,), True, (0.0,), (), {}, "It settles.")
    return {
        "run": run,
        "scene": SceneSource(run.scene),
        "contact_problem": EngineProblem(runner.engine),
        "report": step_report(check, "a.toml"),
        "view": Image(),
    }


def failing(kind: ExportKind) -> ExportKind:
    """The format on a disk that is full after some data were written."""

    def write(subject: object, path: Path, *arguments: Any) -> None:
        path.write_bytes(b"half")
        raise FULL

    return replace(kind, write=write)


def old_file(kind: ExportKind, ending: str, folder: Path) -> tuple[Path, Path]:
    """Path to export to, and an old file there: the first of those that are written."""
    if not kind.ending:
        return folder / "out", folder / "out" / "short_track.svg"
    path = folder / f"a{ending}"
    return path, folder / "a_00000.png" if ending in kind.sequences else path


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(("name", "ending"), CASES)
def test_export_replaces_the_old_file(
    subjects: dict[str, Any], tmp_path: Path, name: str, ending: str
) -> None:
    kind = EXPORTS[name]
    path, old = old_file(kind, ending, tmp_path)
    old.parent.mkdir(exist_ok=True)
    old.write_bytes(OLD)
    written = write_as(kind, subjects[kind.subject], path, OPTIONS.get(name))
    assert isinstance(written, Written)
    assert written.path == (path if ending not in kind.sequences else old)
    assert files(tmp_path)[str(old.relative_to(tmp_path))] != OLD
    assert not [each for each in files(tmp_path) if "partial" in each]
    assert not [each for each in path.parent.iterdir() if each.name.startswith(".")]


def broken_off(
    subjects: dict[str, Any],
    folder: Path,
    case: tuple[str, str],
    progress: Callable[[float], bool] | None,
    *,
    exists: bool,
    broken: bool,
) -> tuple[object, dict[str, bytes], dict[str, bytes]]:
    """Result of an incomplete export, and the files before and after it."""
    name, ending = case
    kind = EXPORTS[name]
    path, old = old_file(kind, ending, folder)
    if exists:
        old.parent.mkdir(exist_ok=True)
        old.write_bytes(OLD)
    before = files(folder)
    result: object = None
    chosen = failing(kind) if broken else kind
    try:
        result = write_as(chosen, subjects[kind.subject], path, OPTIONS.get(name), progress)
    except ExportError as error:
        result = str(error)
    return result, before, files(folder)


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("case", CANCELLABLE)
def test_cancelled_export_keeps_the_old_file(
    subjects: dict[str, Any], tmp_path: Path, case: tuple[str, str], exists: bool
) -> None:
    result, before, after = broken_off(
        subjects, tmp_path, case, lambda fraction: False, exists=exists, broken=False
    )
    assert result is None
    assert after == before
    assert exists or list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_failed_export_keeps_the_old_file(
    subjects: dict[str, Any], tmp_path: Path, case: tuple[str, str], exists: bool
) -> None:
    def fail(fraction: float) -> bool:
        raise FULL

    cancellable = case in CANCELLABLE
    result, before, after = broken_off(
        subjects,
        tmp_path,
        case,
        fail if cancellable else None,
        exists=exists,
        broken=not cancellable,
    )
    assert "(No space left" in str(result)
    assert str(tmp_path) in str(result)
    assert after == before
    assert exists or list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "ending"), CASES)
def test_unwritable_path_is_reported(
    subjects: dict[str, Any], tmp_path: Path, name: str, ending: str
) -> None:
    kind = EXPORTS[name]
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="be written"):
        write_as(kind, subjects[kind.subject], tmp_path / "file" / f"a{ending}", OPTIONS.get(name))
    if kind.ending and ending not in kind.sequences:
        (tmp_path / f"b{ending}").mkdir()
        with pytest.raises(ExportError, match="folder"):
            write_as(kind, subjects[kind.subject], tmp_path / f"b{ending}", OPTIONS.get(name))


@pytest.mark.parametrize("name", ["plan", "model", "contact_problem", "report", "video"])
def test_unknown_extension_is_reported_before_writing(
    subjects: dict[str, Any], tmp_path: Path, name: str
) -> None:
    kind = EXPORTS[name]
    with pytest.raises((ExportError, UsageError), match=r"a\.odd"):
        write_as(kind, subjects[kind.subject], tmp_path / "new" / "a.odd")
    assert list(tmp_path.iterdir()) == []
