"""Write the files that a version of SnakeStudio leaves on a user's disk; all later versions must read them.

    python tests/stored/make.py runs 0.3.0      # run files of every formulation and controller, a killed one, a robot's
    python tests/stored/make.py add 0.3.0 NAME  # run files that an unreleased version is missing
    python tests/stored/make.py window 0.3.0    # settings of a window, and the files that its dialogs write
    python tests/stored/make.py scenes 0.3.0    # the bundled scenes, and their values in memory
    python tests/stored/make.py tables 0.3.0    # the CSV of each run file without one

Run it by hand, once per version, immediately before the release and with the engines compiled
(`snakestudio warm-up`). Existing files are never written again: a newer program would write
something else. The imported program writes the files; for an older one put its checkout on
PYTHONPATH. The tables are always those of the current program: a CSV is the export of a run file,
and 0.1.0 wrote other lines in its header.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import snakestudio  # noqa: F401 - before numpy, which it holds to the baseline that all processors share

# isort: split
import choices  # type: ignore[import-not-found]
from values import leaves, table_of  # type: ignore[import-not-found]

HERE = Path(__file__).resolve().parent

Values = dict[str, Any]

RATE_HZ = 25.0
DURATION_S = 0.32
CHANGE_S = 0.12


def pack(path: Path, data: bytes) -> None:
    """Write data compressed a fifth smaller than by gzip, without a time stamp."""
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def scenes() -> Path:
    """Folder of the scenes of the writing program; the rest of its checkout is next to it."""
    from snakestudio.paths import scenes_dir

    return scenes_dir()


# --------------------------------------------------------------------------------------------- runs


@dataclass(frozen=True)
class Stored:
    """A stored run.

    Attributes
    ----------
    scene : str
        Name of a bundled scene.
    values, change : dict
        Dotted keys that differ from the scene at the start, and those that change at `CHANGE_S`.
    duration : float
        s.
    hand : callable or None
        Manual action on the runner at `CHANGE_S`.
    """

    scene: str
    values: Values = field(default_factory=dict)
    change: Values = field(default_factory=dict)
    duration: float = DURATION_S
    hand: Callable[[Any], None] | None = None


def _pull(runner: Any) -> None:
    from snakestudio.session.pulling import Grip

    x, y, z = map(float, runner.latest.link_pose[2, :3])
    runner.pull(Grip(2, (0.0, 0.0, 0.0), (x, y + 0.1, z)))


def _steer(runner: Any) -> None:
    from snakestudio.model.teleop import TeleopCommand

    assert runner.steer(TeleopCommand(speed=0.6, turn=-0.3, amplitude=0.8))


def _give_targets(runner: Any) -> None:
    from snakestudio.model.teleop import JointTargets

    count = len(runner.scene.body.axes)
    assert runner.steer(JointTargets((float("nan"), *(0.1 * (-1) ** k for k in range(count - 1)))))


_JAMS_SOON = {"controller.jam_time_s": 0.05, "controller.jam_angle_deg": 3.0}

RUNS = {
    # formulations, and for the continuous body each law and each support
    "planar_nonsmooth": Stored(
        "obstacle_aided", {}, {"gait.amplitude_deg": 38.0, "obstacles[7].y_m": 0.5}, hand=_pull
    ),
    "spatial_nonsmooth": Stored(
        "obstacle_aided_3d", {}, {"gait.frequency_deg_s": 90.0, "obstacles[3].y_m": 0.9}
    ),
    "two_waves": Stored("sidewinding", {"robot.n_links": 6}, {"gait.amplitude_deg": 25.0}),
    "stairs": Stored("stairs", {"robot.n_links": 6}, {"ground.mu_along": 0.3}),
    "planar_lagrangian": Stored("lagrangian_undulation", {}, {"gait.amplitude_deg": 20.0}),
    "planar_nonholonomic": Stored(
        "jam_without_resolution", {}, {"controller.jam_resolution": True}
    ),
    "continuum_beam": Stored("worm", {}, {"strain.stretch": 0.01}),
    "continuum_inching": Stored("inchworm", {}, {"strain.frequency_hz": 0.3}),
    "continuum_rings": Stored("continuum_snake_2d", {}, {"strain.curvature_per_m": 8.0}),
    "continuum_formulas": Stored("continuum_undulation", {}, {"strain.speed_m_s": "-0.3"}),
    # controllers
    "set_points": Stored(
        "obstacle_aided_small",
        {
            "control.soft_start_deg": 5.0,
            "control.start_delay_s": 0.1,
            "control.set_point_period_s": 0.05,
        },
        {"gait.frequency_deg_s": 95.0},
    ),
    "heading": Stored(
        "lagrangian_undulation", {"controller.kind": "heading"}, {"controller.heading_deg": 30.0}
    ),
    "path_following": Stored("path_following", {}, {"controller.look_ahead_m": 0.7}),
    "leader_follower": Stored(
        "jam_resolution", _JAMS_SOON, {"controller.head_angle_deg": 45.0}, duration=2.0
    ),
    "leader_follower_3d": Stored(
        "jam_resolution_3d", _JAMS_SOON, {"controller.speed_m_s": 0.3}, duration=0.4
    ),
    "strain_follower": Stored(
        "sidewinding", {"controller.kind": "strain_follower"}, {"ground.mu_along": 0.3}
    ),
    "teleoperation": Stored("teleoperation", {}, {"controller.max_offset_deg": 12.0}, hand=_steer),
    "joint_targets": Stored(
        "lagrangian_undulation",
        {"controller.kind": "joint_targets", "controller.targets_deg": (20.0,) * 9},
        {"controller.max_rate_deg_s": 45.0},
        hand=_give_targets,
    ),
    "hopf_oscillators": Stored(
        "lagrangian_undulation",
        {"controller.kind": "hopf_oscillators"},
        {"controller.frequency_hz": 0.7},
    ),
    "matsuoka_oscillators": Stored(
        "lagrangian_undulation",
        {"controller.kind": "matsuoka_oscillators"},
        {"controller.amplitude_deg": 20.0},
    ),
    "phase_oscillators": Stored(
        "lagrangian_undulation",
        {"controller.kind": "phase_oscillators"},
        {"controller.frequency_hz": 0.7},
    ),
    "compliance": Stored("compliant_pipes", {}, {"controller.stiffness_nm_per_rad": 3.0}),
}


def make_runs(folder: Path) -> None:
    """Write all run files, and the contents of their states."""
    from snakestudio import processor
    from snakestudio.runfile.mcap import open_run
    from snakestudio.runfile.recording import RunRecording
    from snakestudio.session.continuation import continue_run

    assert processor.computed_for() == processor.BASELINE, (
        "code that is tuned or loaded too early computes other bits"
    )
    runs = folder / "runs"
    runs.mkdir(parents=True)
    for name, stored in RUNS.items():
        run(stored, runs / f"{name}.mcap")
    path = runs / "continued.mcap"
    with open_run(runs / "planar_lagrangian.mcap") as before:
        going_on = continue_run(
            before,
            0.2,
            None,
            "planar_lagrangian.mcap",
            make=lambda scene, schema: RunRecording(scene, schema, path),
        )
    assert going_on is not None
    going_on.runner.advance(going_on.runner.end_step)
    going_on.runner.recording.close()
    make_killed(runs / "killed.mcap")
    make_of_robot(runs / "robot.mcap", folder / "files")
    pack(folder / "states.json.xz", json.dumps(pack_runs(runs), indent=0).encode())


def add_runs(folder: Path, *names: str) -> None:
    """Write missing run files, and the contents of their states."""
    path = folder / "states.json.xz"
    states = json.loads(lzma.decompress(path.read_bytes()))
    assert not states.keys() & set(names), "existing files are never written again"
    for name in names:
        run(RUNS[name], folder / "runs" / f"{name}.mcap")
    pack(
        path,
        json.dumps(dict(sorted((states | pack_runs(folder / "runs")).items())), indent=0).encode(),
    )


def pack_runs(runs: Path) -> dict[str, list[tuple[float, list[Any]]]]:
    """Compress all run files in a folder; returns the contents of their states."""
    from snakestudio.runfile.mcap import open_run
    from snakestudio.runfile.states import decode

    states: dict[str, list[tuple[float, list[Any]]]] = {}
    for path in sorted(runs.glob("*.mcap")):
        with open_run(path) as recorded:
            states[path.stem] = [
                (time, list(leaves(decode(state, recorded.scene_at(time)))))
                for time, state in recorded.checkpoints()
            ]
        pack(path.with_suffix(".mcap.xz"), path.read_bytes())
        path.unlink()
    return states


def run(stored: Stored, path: Path, beat: Callable[[Any], None] = lambda runner: None) -> None:
    """Record one run; `beat` gets the runner every period."""
    from snakestudio.model.edits import with_values
    from snakestudio.model.events import RunEvent
    from snakestudio.model.scene_file import load_scene
    from snakestudio.session.runner import Runner

    scene = with_values(load_scene(scenes() / f"{stored.scene}.toml"), stored.values)
    scene = with_values(scene, {"run.duration_s": stored.duration, "run.log_rate_hz": RATE_HZ})
    runner = Runner(scene, path=path, scene_file=f"{stored.scene}.toml")
    runner.advance(round(CHANGE_S / scene.solver.step_s))
    runner.recording.add_event(
        RunEvent(runner.time, "note", "A note: \N{GREEK SMALL LETTER MU} is changed")
    )
    refused = runner.apply(with_values(runner.scene, stored.change))
    assert refused == [], refused
    if stored.hand is not None:
        stored.hand(runner)
    while not runner.finished:
        report = runner.advance(scene.steps_per_period)
        assert report.ok, report.message
        beat(runner)
    runner.recording.close()


def make_killed(path: Path) -> None:
    """Write a run whose program was killed while it recorded."""
    from snakestudio.runfile.mcap import RunFileError, open_run

    with subprocess.Popen(
        [sys.executable, str(HERE / "make.py"), "_endless", str(path)]
    ) as process:
        while process.poll() is None:
            time.sleep(0.05)
            with contextlib.suppress(RunFileError, FileNotFoundError), open_run(path) as begun:
                if (
                    len(begun) > 40
                    and len(begun.changes) > 0
                    and len(list(begun.checkpoints())) > 1
                ):
                    break
        process.send_signal(signal.SIGKILL)


def endless(path: Path) -> None:
    """Record in real time until killed."""
    begun = time.monotonic()

    def pace(runner: Any) -> None:
        time.sleep(max(0.0, runner.time - (time.monotonic() - begun)))

    run(
        Stored("obstacle_aided_small", {}, {"gait.amplitude_deg": 38.0}, duration=600.0), path, pace
    )


def make_of_robot(path: Path, files: Path) -> None:
    """Write a run of an emulated robot with the simulation alongside, its profile, and the log of its frames."""
    files.mkdir()
    sys.path.append(str(scenes().parent))
    from tests.link.rig import patient_robot

    robot = str(patient_robot(files))
    log = files / "robot.log"
    folder = Path(tempfile.gettempdir(), "ada")  # its name is stored in the run file
    folder.mkdir(exist_ok=True)
    scene = shutil.copy(scenes() / "sidewinding.toml", folder)
    bus = (
        "--channel",
        f"239.74.163.{100 + os.getpid() % 100}",
        "--port",
        str(20_000 + os.getpid() % 20_000),
    )
    program = [sys.executable, "-m", "snakestudio"]
    drive = ["drive", scene, robot, "--interface", "udp_multicast", *bus, "--arm", "--twin"]
    options = ["--duration", "1", "--rate", str(RATE_HZ), "--mcap", str(path), "--log", str(log)]
    with subprocess.Popen(
        [*program, "emulate", robot, *bus, "--until-eof"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as emulator:
        assert emulator.stdin is not None
        assert emulator.stdout is not None
        assert any("is ready" in line for line in emulator.stdout)
        subprocess.run([*program, *drive, *options], check=True)
        emulator.stdin.close()
        emulator.stdout.read()
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:400]))  # all have the same contents


# ------------------------------------------------------------------------------------------- window


def make_window(folder: Path) -> None:
    """Write settings of a window with no default choices, and the files that its dialogs write."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from snakestudio.analysis.experiment.layout import save_layout
    from snakestudio.gui.analysis.experiment.import_dialog import remember_layout
    from snakestudio.gui.app import make_window
    from snakestudio.gui.core import theme
    from snakestudio.gui.robot.teleop.mapping import save_map
    from snakestudio.model.edits import with_values
    from snakestudio.model.scene_file import load_scene
    from snakestudio.runfile.library import RunLibrary
    from snakestudio.session.recovery import RecoveryFile, UnsavedScene, unsaved_scenes

    app = QApplication([])
    theme.apply(app, "dark")
    files = folder / "files"
    settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    for key, value in choices.PLAIN.items():
        settings.setValue(key, value)

    window = make_window(settings)
    window.show()
    window.context.docks.fill(window.context)
    while not window.context.docks.are_filled:
        app.processEvents()

    # A scene that was never saved, as a crashed window leaves it, and as the next one restores it.
    scene = with_values(load_scene(scenes() / "obstacle_aided.toml"), choices.SCENE)
    recovery = RecoveryFile(files)
    recovery.write(scene, Path(choices.SCENE_PATH), recovery.next_order())
    text = recovery.path.read_text(encoding="utf-8").replace(
        f"# process: {os.getpid()}\n", "# process: 99999999\n"
    )
    recovery.path.unlink()
    (files / "unsaved-99999999-1.toml").write_text(text, encoding="utf-8")
    (unsaved,) = unsaved_scenes(files)
    assert isinstance(unsaved, UnsavedScene)
    assert window.context.files.restore(unsaved)

    window.context.viewport.options.set(**choices.VIEW)
    window.context.viewport.tools.editor.options.set(**choices.EDITOR)
    mapping = _mapping()
    window.context.teleop_feature.teleop.set_mapping(mapping)
    save_map(mapping, files / "mapping.toml")
    _keep_camera(window, files / "camera_path.toml")
    table = _table()
    remember_layout(settings, choices.SIGNATURE, table)
    save_layout(files / "table_layout.toml", table)
    _arrange(window, app)

    # Data next to a run in the library; any run will do.
    with open(files / "kept.mcap", "wb") as file:
        file.write(lzma.decompress((folder / "runs" / "heading.mcap.xz").read_bytes()))
    library = RunLibrary(files)
    library.tag(
        library.rename(library.run(files / "kept.mcap"), choices.RUN_NAME), choices.RUN_TAGS
    )
    (files / "kept.mcap").unlink()

    window.context.document.undo_stack.setClean()
    window.close()
    settings.sync()
    (folder / "settings.ini.lock").unlink(missing_ok=True)


def _mapping() -> Any:
    from snakestudio.gui.robot.teleop.inputs import parse_input
    from snakestudio.gui.robot.teleop.mapping import DEFAULT, Binding

    bindings = tuple(
        Binding(function, parse_input(source), *numbers)
        for function, source, *numbers in choices.BINDINGS
    )
    return replace(DEFAULT, bindings=bindings, **choices.MAPPING)


def _keep_camera(window: Any, path: Path) -> None:
    from snakestudio.drawing.camera import Camera
    from snakestudio.export.camera_path import CameraKey, CameraPath, save_camera_path

    keys = CameraPath(
        tuple(
            CameraKey(time, Camera(target, distance, azimuth, elevation, orthographic=flat))
            for time, target, distance, azimuth, elevation, flat in choices.CAMERA
        ),
        follow=True,
    )
    window.context.camera_keys.set_path(keys)
    save_camera_path(path, keys)


def _table() -> Any:
    from snakestudio.analysis.experiment.layout import BodyColumns, JointColumns, Layout

    bodies = tuple(BodyColumns(**body) for body in choices.TABLE["bodies"])
    joints = tuple(JointColumns(**joint) for joint in choices.TABLE["joints"])
    return Layout(**{**choices.TABLE, "bodies": bodies, "joints": joints})


def _arrange(window: Any, app: Any) -> None:
    """Arrange docks and plots: one arrangement saved under a name, another one left as the last state."""
    from snakestudio.gui.plots.channel_library import DerivedChannel
    from snakestudio.viewmodel.plots.content import read_content

    window.context.plot_docks.library.put(DerivedChannel(*choices.DERIVED))
    contents = [content for plot in choices.PLOTS if (content := read_content(plot)) is not None]
    assert len(contents) == len(choices.PLOTS)
    window.context.plot_docks.sets.save(choices.PRESET, contents)
    window.context.plot_docks.new_panel(contents)
    for name in choices.HIDDEN:
        window.context.docks[name].hide()
    for name in choices.SHOWN:
        window.context.docks[name].show()
    app.processEvents()
    window.context.layouts.save(choices.LAYOUT)
    window.context.layouts.choose_shipped("Run")
    window.context.plot_docks.remove_panel("plots_2")
    window.context.plot_docks.panels["plots"].show_contents(contents[:2])
    for name in choices.LAST_HIDDEN:
        window.context.docks[name].hide()
    for name in choices.LAST_SHOWN:
        window.context.docks[name].show()
    app.processEvents()


# ----------------------------------------------------------------------------------- scenes, tables


def make_scenes(folder: Path) -> None:
    """Write the bundled scenes as files, and all their values."""
    from snakestudio.model.scene_file import load_scene

    (folder / "scenes").mkdir()
    values = {}
    for path in sorted(scenes().glob("*.toml")):
        shutil.copy(path, folder / "scenes")
        values[path.stem] = load_scene(path).model_dump(mode="json")
    pack(folder / "scenes.json.xz", json.dumps(values, indent=0).encode())


def make_tables(folder: Path) -> None:
    """Write the CSV of each run file, without the lines that name program and machine."""
    (folder / "tables").mkdir(exist_ok=True)
    for path in sorted((folder / "runs").glob("*.mcap.xz")):
        name = path.name.partition(".")[0]
        if (folder / "tables" / f"{name}.csv.xz").exists():
            continue
        run_file = folder / f"{name}.mcap"
        run_file.write_bytes(lzma.decompress(path.read_bytes()))
        pack(folder / "tables" / f"{name}.csv.xz", table_of(run_file))
        run_file.unlink()


def main() -> None:
    """Run the command of the command line."""
    what, where, *names = sys.argv[1:]
    makers: dict[str, Callable[..., None]] = {
        "runs": make_runs,
        "add": add_runs,
        "window": make_window,
        "scenes": make_scenes,
        "tables": make_tables,
    }
    if what == "_endless":
        endless(Path(where))
    else:
        makers[what](HERE / where, *names)


if __name__ == "__main__":
    main()
