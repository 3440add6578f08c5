"""What reads a file as the window or a command does, where a whole command would take too long for every file."""

from __future__ import annotations

from pathlib import Path

from snakestudio.model.scene import Scene


def read_measured(name: str) -> None:
    """As `compare experiment` and `fit`."""
    from snakestudio.analysis.experiment.importing import read_capture

    read_capture(name)


def read_by_layout(layout: str, table: str) -> None:
    """A table by a layout from a file."""
    from snakestudio.analysis.experiment.importing import read_capture
    from snakestudio.analysis.experiment.layout import load_layout

    read_capture(table, load_layout(layout))


def check_with_picture(name: str) -> None:
    """A scene with a height field of this picture; what `check` says of it is said."""
    from snakestudio.errors import SceneError
    from snakestudio.model.obstacles.shape import obstacle_solids
    from snakestudio.model.obstacles.shapes.height_field import HeightField

    path = Path(name)
    solids = obstacle_solids(HeightField(x_m=0.0, y_m=0.0, picture=path.name), path.parent)
    if len(solids) != 1:
        raise SceneError("one relief was made of it")


def start_from(name: str) -> None:
    """A scene that starts as a recorded row."""
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
    """As the dialog of teleoperation."""
    from snakestudio.gui.robot.teleop.mapping import load_map

    load_map(Path(name))


def read_frames(name: str) -> None:
    """As the replay of a log."""
    from snakestudio.link.bus.frame_log import read_log

    for _ in read_log(Path(name)):
        pass


def signal(name: str, text: str) -> None:
    """A derived signal of a run."""
    from snakestudio.api.running import load_run

    load_run(name).signal(text)
