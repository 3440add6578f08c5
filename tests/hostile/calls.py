"""Functions that read a file like the window or a command, for inputs where a whole command would take too long."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from snakestudio.model.scene import Scene


def read_measured(name: str) -> None:
    """Read like `compare experiment` and `fit`."""
    from snakestudio.analysis.experiment.importing import read_capture

    read_capture(name)


def read_by_layout(layout: str, table: str) -> None:
    """Read a table with a layout from a file."""
    from snakestudio.analysis.experiment.importing import read_capture
    from snakestudio.analysis.experiment.layout import load_layout

    read_capture(table, load_layout(layout))


def check_with_picture(name: str) -> None:
    """Check a scene with a height field of this image; an error of `check` is raised."""
    from snakestudio.errors import SceneError
    from snakestudio.model.obstacles.shape import obstacle_solids
    from snakestudio.model.obstacles.shapes.height_field import HeightField

    path = Path(name)
    solids = obstacle_solids(HeightField(x_m=0.0, y_m=0.0, picture=path.name), path.parent)
    if len(solids) != 1:
        raise SceneError("one relief was made of it")


def start_from(name: str) -> None:
    """Start a scene from a recorded row."""
    from snakestudio.model.motion import RecordingStart
    from snakestudio.model.robot.pose import initial_state

    path = Path(name)
    scene = Scene()
    scene = scene.model_copy(
        update={
            "robot": scene.robot.model_copy(update={"n_links": 3}),
            "start": RecordingStart(file=path.name, time_s=0.02),
        }
    )
    initial_state(scene, path.parent)


def read_mapping(name: str) -> None:
    """Read like the dialog of teleoperation."""
    from snakestudio.gui.robot.teleop.mapping import load_map

    load_map(Path(name))


def read_frames(name: str) -> None:
    """Read like the replay of a log."""
    from snakestudio.link.bus.frame_log import read_log

    for _ in read_log(Path(name)):
        pass


def signal(name: str, text: str) -> None:
    """Compute a derived signal of a run."""
    from snakestudio.api.running import load_run

    load_run(name).signal(text)


def begin_study(name: str) -> None:
    """Run like `study run`, up to the start of the workers."""
    from snakestudio.study.running import check_measures, open_plan
    from snakestudio.study.samplers import sampler

    plan = open_plan(Path(name))
    check_measures(plan)
    for point in sampler(plan).ask()[:3]:
        plan.repeat(point, plan.study.repeats.count - 1)


def make_results(name: str) -> None:
    """Create results of a study, next to the file."""
    from snakestudio.study.evaluate import Trace
    from snakestudio.study.store import RunOutcome, RunRequest, Store, store_path
    from snakestudio.study.study_file import dump_study, parse_study
    from tests.hostile.kinds import SCENE, STUDY

    study = parse_study(STUDY.decode())
    trace = Trace(np.zeros((5, 2)), np.zeros((3, 3))).packed()
    store_path(Path(name)).unlink(missing_ok=True)
    with Store(store_path(Path(name)), writing=True) as store:
        store.begin(
            {
                "study": dump_study(study),
                "scene": SCENE.decode(),
                "code": "0",
                "units": '{"net_speed": "mps"}',
            }
        )
        changes = [
            {"gait.amplitude_deg": 20.0 + number, "ground.mu_across": 0.2} for number in range(4)
        ]
        store.add_requests(
            [RunRequest(number, 0, f"key-{number}", changes[number]) for number in range(4)]
        )
        store.add_outcomes(
            [
                RunOutcome(f"key-{number}", "done", "", (0.1, 0.2), trace, 0.1, "here-1")
                for number in range(4)
            ]
        )
        store.db.execute("PRAGMA journal_mode = DELETE")  # a single file
