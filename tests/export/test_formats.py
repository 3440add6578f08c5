"""Table of export formats: built-in ones and those of a plug-in in Python and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snakestudio as ss
from snakestudio import api
from snakestudio.cli import main
from snakestudio.cli.exports import NAMES
from snakestudio.errors import ExportError, SnakeStudioError, UsageError
from snakestudio.export.formats import (
    EXPORTS,
    ExportKind,
    format_of,
    is_possible,
    of_subject,
    write_as,
)
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import scenes_dir
from snakestudio.plugins.loading import load, unload

TOY = Path(__file__).parents[1] / "toys" / "milestones.py"


@pytest.fixture(scope="module")
def run() -> api.Run:
    scene = load_scene(scenes_dir() / "lagrangian_undulation.toml")
    return api.simulate_scene(with_values(scene, {"run.duration_s": 0.3}), scene_file="short.toml")


@pytest.fixture
def toy() -> Iterator[None]:
    load(TOY)
    yield
    unload("milestones")


def lines_of(run: api.Run, every: int) -> list[str]:
    """Lines that the toy writes, computed from the columns."""
    pairs = zip(run["time_s"][::every].tolist(), run["com_x_m"][::every].tolist(), strict=True)
    return [f"{time:.3f} {x:.17g}" for time, x in pairs]


def test_every_format_of_runs_has_an_option() -> None:
    assert set(NAMES) == {kind.name for kind in of_subject("run")}


def test_suffix_decides_among_formats_of_a_subject() -> None:
    assert format_of(Path("a.H5")).name == "hdf5"
    assert format_of(Path("a.hdf5"), "contact_problem").name == "contact_problem"
    assert format_of(Path("a.png")).name == "video"
    assert format_of(Path("a.png"), "scene").name == "plan"
    with pytest.raises(ExportError, match=r"\.csv, \.h5, \.hdf5"):
        format_of(Path("a.svg"))


@pytest.mark.parametrize("name", ["csv", "hdf5", "mcap"])
def test_methods_and_export_write_identical_files(run: api.Run, tmp_path: Path, name: str) -> None:
    suffix = EXPORTS[name].ending
    getattr(run, f"to_{name}")(tmp_path / f"a{suffix}")
    assert run.export(tmp_path / f"b{suffix}") == tmp_path / f"b{suffix}"
    one, other = ((tmp_path / f"{each}{suffix}").read_bytes() for each in "ab")
    assert len(one) == len(other)
    if name == "csv":
        assert one == other


def test_python_exports_scene_formats_and_folders(run: api.Run, tmp_path: Path) -> None:
    assert run.export(tmp_path / "plan.svg", "plan").read_bytes().startswith(b"<?xml")
    assert b"<mujoco" in run.export(tmp_path / "robot.xml", "model").read_bytes()
    folder = run.export(tmp_path / "figures", "figures", suffix=".svg")
    assert {path.suffix for path in folder.iterdir()} == {".svg"}
    with pytest.raises(ExportError, match="csv, hdf5"):
        run.export(tmp_path / "a.csv", "table")
    with pytest.raises(UsageError, match="no option 'width'"):
        run.export(tmp_path / "a.csv", width=3)
    with pytest.raises(UsageError, match="type int"):
        run.export(tmp_path / "a.mp4", width="wide")
    with pytest.raises(ExportError, match=r"\.odd"):
        run.export(tmp_path / "a.odd")


def test_format_of_a_plugin_is_offered_in_python(run: api.Run, tmp_path: Path, toy: None) -> None:
    run.export(tmp_path / "a.miles", every=5)
    assert (tmp_path / "a.miles").read_text().splitlines() == lines_of(run, 5)
    with pytest.raises(UsageError, match="Use every, start_s"):
        run.export(tmp_path / "b.miles", often=5)
    assert not is_possible(EXPORTS["obstacle_list"], run.scene)
    with pytest.raises(ExportError, match="cannot represent"):
        run.export(tmp_path / "a.list", "obstacle_list")
    assert [path.name for path in tmp_path.iterdir()] == ["a.miles"]


def test_scene_formats_need_no_run(tmp_path: Path, toy: None) -> None:
    scene = load_scene(scenes_dir() / "obstacle_aided.toml")
    kinds = "".join(f"{each.kind}\n" for each in scene.obstacles)
    assert ss.export_scene(scene, tmp_path / "a.list") == tmp_path / "a.list"
    assert (tmp_path / "a.list").read_text() == kinds
    flat = {"values": {"gait.amplitude_deg": 0}, "export_format": "obstacle_list"}
    assert ss.export_scene("obstacle_aided", tmp_path / "b.txt", **flat).read_text() == kinds
    narrow = ss.export_scene(scene, tmp_path / "a.svg", options={"width_mm": 90.0})
    assert b'width="255.1' in narrow.read_bytes()[:2000]  # 90 mm at 72 points per inch
    for wrong, message in (({"path": "a.miles"}, r"\.list"), ({"export_format": "csv"}, "plan")):
        with pytest.raises(ExportError, match=message):
            ss.export_scene(scene, **{"path": tmp_path / "c.list", **wrong})
    with pytest.raises(UsageError, match="no option 'width'"):
        ss.export_scene(scene, tmp_path / "a.svg", options={"width": 90.0})


def test_scene_format_of_a_plugin_is_offered_on_the_command_line(
    tmp_path: Path, toy: None, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "obstacle_aided"
    kinds = "".join(
        f"{each.kind}\n" for each in load_scene(scenes_dir() / f"{name}.toml").obstacles
    )
    only, plan, both = tmp_path / "a.list", tmp_path / "a.svg", tmp_path / "b.list"
    assert main(["export", name, "--to", str(only), "--to", str(plan)]) == 0
    output = capsys.readouterr().out
    assert f"wrote {only}" in output
    assert "running the scene" not in output, "a scene is not run for a format of scenes"
    run = ["run", name, "--duration", "0.1"]
    assert main([*run, "--to", str(both), "--to", str(tmp_path / "a.miles")]) == 0
    assert only.read_text() == both.read_text() == kinds
    capsys.readouterr()
    empty = ["run", "sidewinding", "--duration", "0.1", "--to", str(tmp_path / "c.list")]
    assert main(empty) == 2
    captured = capsys.readouterr()
    assert "cannot represent" in captured.err
    assert "simulated" not in captured.out, "it is reported before the run"


def test_options_of_formats_are_given_on_the_command_line(
    run: api.Run, tmp_path: Path, toy: None, capsys: pytest.CaptureFixture[str]
) -> None:
    run.to_mcap(tmp_path / "run.mcap")
    files = ["export", str(tmp_path / "run.mcap"), "--to", str(tmp_path / "a.miles")]
    plan = tmp_path / "a.svg"
    options = ["--option", "every=5", "--option", "width_mm=90"]
    assert main([*files, "--to", str(plan), *options]) == 0
    assert (tmp_path / "a.miles").read_text().splitlines() == lines_of(run, 5)
    assert b'width="255.1' in plan.read_bytes()[:2000]
    capsys.readouterr()
    for wrong, message in (
        ("often=5", "--option often"),
        ("every=fast", "type int"),
        ("every=0", "Give at least 1."),
        ("start_s=inf", "Milestones: start_s is"),
        ("marks=dots", "Milestones has no marks"),
        ("every", "NAME=VALUE"),
    ):
        assert main([*files, "--option", wrong]) == 2
        assert message in capsys.readouterr().err
    figures = ["export", str(tmp_path / "run.mcap"), "--figures", str(tmp_path / "figures")]
    assert main([*figures, "--option", "suffix=.png"]) == 0
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".png"}


def test_recording_is_written_in_the_format_of_a_plugin(tmp_path: Path, toy: None) -> None:
    with api.open_simulation("lagrangian_undulation") as simulation:
        simulation.record(tmp_path / "a.miles")
        while simulation.time < 0.2:
            simulation.step()
        with pytest.raises(UsageError, match="already"):
            simulation.record(tmp_path / "b.miles")
    times = np.loadtxt(tmp_path / "a.miles")[:, 0]
    np.testing.assert_allclose(times, [0.0, 0.1, 0.2], atol=1e-9)


def test_cancelled_export_of_a_plugin_keeps_the_old_file(
    run: api.Run, tmp_path: Path, toy: None
) -> None:
    path = tmp_path / "a.miles"
    path.write_text("old")
    fractions: list[float] = []

    def cancel(fraction: float) -> bool:
        fractions.append(fraction)
        return len(fractions) < 2

    assert write_as(EXPORTS["milestones"], run, path, None, cancel) is None
    assert fractions == [0.25, 0.5]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_format_of_a_plugin_is_offered_on_the_command_line(
    run: api.Run, tmp_path: Path, toy: None, capsys: pytest.CaptureFixture[str]
) -> None:
    save_scene(run.scene, tmp_path / "short.toml")
    run.to_mcap(tmp_path / "run.mcap")
    exported, simulated = tmp_path / "a.miles", tmp_path / "b.miles"
    assert main(["export", str(tmp_path / "run.mcap"), "--to", str(exported)]) == 0
    assert f"wrote {exported}" in capsys.readouterr().out
    assert exported.read_text().splitlines() == lines_of(run, 10)
    files = ["--to", str(simulated), "--to", str(tmp_path / "c.csv"), "--json"]
    assert main(["run", str(tmp_path / "short.toml"), *files]) == 0
    assert simulated.read_text() == exported.read_text()
    output = capsys.readouterr().out
    assert json.loads(output[output.index("{") :])["files"]["to"] == [files[1], files[3]]
    assert main(["run", str(tmp_path / "short.toml"), "--to", str(tmp_path / "a.odd")]) == 2
    assert ".miles" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ending": ".h5"}, "already written as HDF5"),
        ({"ending": "vtk"}, "extension"),
        ({"subject": "scene", "ending": ".urdf"}, "already written as Model"),
        ({"reports_progress": True}, "progress"),
        ({"subject": "robot"}, "subject"),
        ({"subject": "view"}, 'or "scene"'),
    ],
)
def test_mistakes_of_a_format_are_reported(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    values = {"name": "odd", "ending": ".odd", **changes}
    fields = ", ".join(f"{name}={value!r}" for name, value in values.items())
    path = tmp_path / "odd.py"
    path.write_text(
        "from snakestudio.plugin import ExportKind\n"
        "def write(run, path): path.write_text('x')\n"
        f"KIND = ExportKind(write=write, {fields})\n"
    )
    with pytest.raises(SnakeStudioError, match=message) as caught:
        load(path)
    assert str(caught.value).endswith(".")
    assert "odd" not in EXPORTS


def test_kinds_have_descriptions() -> None:
    kind = ExportKind(name="plain_text", ending=".txt", write=lambda run, path: None)
    assert kind.title == "Plain text"
    assert kind.types == (("Plain text", (".txt",)),)
    assert kind.endings == (".txt",)
