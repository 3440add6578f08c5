"""What `import snakestudio` offers: simulate a scene and get its columns as numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import PhysicsError, Problem, SceneError, SnakeStudioError, UsageError
from snakestudio.export import chain_text
from snakestudio.export.chain_csv import write_chain
from snakestudio.export.columns import column_names, table
from snakestudio.export.comparison_csv import write_comparison
from snakestudio.export.comparison_text import report
from snakestudio.export.csv import write_csv
from snakestudio.export.provenance import read_changes
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.session.chain_comparison import compare_chain as run_chains
from snakestudio.session.chain_data import ChainComparison
from snakestudio.session.model_comparison import ModelComparison
from snakestudio.session.model_comparison import compare_models as run_models
from snakestudio.session.recording import Change, SpooledRecording
from snakestudio.session.runner import run_offline

__all__ = [
    "ChainReport",
    "Comparison",
    "Run",
    "Scene",
    "SnakeStudioError",
    "check",
    "compare_chain",
    "compare_models",
    "compare_scene",
    "compare_scene_chain",
    "load_scene",
    "plan",
    "prepare",
    "save_scene",
    "simulate",
    "simulate_scene",
]


class Run(Mapping[str, NDArray[np.float64]]):
    """A finished run: a mapping from column names (as in the CSV) to numpy arrays, one value a row.

    Attributes
    ----------
    recording : SpooledRecording
    scene_file : str or None
        Name of the file the scene came from.
    failure : str
        Why the run stopped early, in a sentence; empty if it did not.
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """

    def __init__(
        self,
        recording: SpooledRecording,
        scene_file: str | None = None,
        failure: str = "",
        base_dir: Path | None = None,
    ) -> None:
        self.recording = recording
        self.scene_file = scene_file
        self.failure = failure
        self._base_dir = base_dir
        self._names = column_names(recording.schema)

    @property
    def scene(self) -> Scene:
        """The scene that was run."""
        return self.recording.scene

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return self._names

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self._names:
            raise KeyError(f"there is no column {name!r}; see run.columns")
        return np.concatenate([part[:, 0] for part in table(self.recording, (name,))])

    def __iter__(self) -> Any:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        rows = len(self.recording)
        return f"<Run of {self.scene_file or self.scene.title or 'a scene'}: {rows} rows of {len(self)} columns>"

    def to_csv(self, path: str | Path) -> None:
        """Write all columns as CSV under a header that rebuilds the run.

        Raises
        ------
        ExportError
            If the file cannot be written.
        """
        write_csv(path, self.recording, self.scene_file)

    def to_video(self, path: str | Path, **options: Any) -> Path:
        """Render the run as a video; `options` are those of `snakestudio.export.video.VideoOptions`.

        Returns
        -------
        Path
            The file written: its ending is .webm where no MP4 encoder is installed.

        Raises
        ------
        ExportError, GraphicsError
        """
        from snakestudio.export.video import VideoOptions, write_video

        written = write_video(path, self.recording, VideoOptions(**options), base_dir=self._base_dir)
        assert written is not None, "nothing cancels it"
        return written


def prepare(
    scene: Scene | str | Path,
    duration: float | None = None,
    rate: float | None = None,
    values: Mapping[str, Any] | None = None,
) -> tuple[Scene, Path | None, tuple[Change, ...]]:
    """A scene with some values replaced, the folder its paths are relative to, and the changes a CSV's header notes.

    Raises
    ------
    SceneError, UsageError
        Naming what is wrong.
    """
    base_dir: Path | None = None
    changes: tuple[Change, ...] = ()
    if not isinstance(scene, Scene):
        path = Path(scene)
        scene = load_scene(path)
        base_dir = path.parent
        if path.suffix.lower() == ".csv":
            changes = read_changes(path)
    wanted = dict(values) if values is not None else {}
    for name, key, given in (("duration", "run.duration_s", duration), ("rate", "run.log_rate_hz", rate)):
        if given is not None:
            wanted[key] = _positive(name, given)
    return (with_values(scene, wanted) if wanted else scene), base_dir, changes


def _positive(name: str, given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < np.inf:
        raise UsageError(f"{name} {given!r} must be a positive number.")
    return float(given)


def simulate_scene(
    scene: Scene,
    base_dir: Path | None = None,
    changes: tuple[Change, ...] = (),
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> Run:
    """Run a scene to its end or to where the physics fails (see `Run.failure`).

    Raises
    ------
    SceneError
        If the scene cannot run as it stands.
    """
    result = run_offline(scene, base_dir, changes, progress)
    return Run(result.recording, scene_file, "" if result.ok else result.message, base_dir)


def simulate(scene: Scene | str | Path, duration: float | None = None, rate: float | None = None, **values: Any) -> Run:
    """Run a scene and return its columns.

    Parameters
    ----------
    scene : Scene or path
        A scene, its file, or a CSV that SnakeStudio exported (which is run again).
    duration : float, optional
        Simulated time, s; the scene's own if left out.
    rate : float, optional
        Rows a simulated second, Hz; the scene's own if left out.
    **values
        Scene values by dotted key: ``**{"gait.amplitude_deg": 30}``.

    Raises
    ------
    SceneError
        If the scene cannot be read or run.
    PhysicsError
        If the physics fails; its `run` attribute has what was recorded until then.
    """
    prepared, base_dir, changes = prepare(scene, duration, rate, values)
    name = None if isinstance(scene, Scene) else Path(scene).name
    run = simulate_scene(prepared, base_dir, changes, name)
    if run.failure:
        error = PhysicsError(run.failure)
        error.run = run  # type: ignore[attr-defined]
        raise error
    return run


class Comparison:
    """One scene run by several models; `print` it for the table of differences.

    Attributes
    ----------
    data : ModelComparison
        Everything as arrays: common times, the values of every run at these, the differences.
    runs : dict of str to Run
        The runs by model; the first is the one that the others are compared with.
    scene_file : str or None
        Name of the file the scene came from.
    """

    def __init__(self, data: ModelComparison, scene_file: str | None = None, base_dir: Path | None = None) -> None:
        self.data = data
        self.scene_file = scene_file
        self.runs = {
            run.label: Run(run.recording, scene_file, run.failure, base_dir)
            for run in data.runs
            if run.recording is not None
        }

    def __str__(self) -> str:
        return report(self.data)

    def to_csv(self, path: str | Path) -> None:
        """Write the course of all compared values and of their differences.

        Raises
        ------
        ExportError
            If the file cannot be written.
        """
        write_comparison(path, self.data, self.scene_file)


def compare_scene(
    scene: Scene,
    kinds: Sequence[str] = (),
    base_dir: Path | None = None,
    changes: tuple[Change, ...] = (),
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
) -> Comparison | None:
    """Run a scene in several models; None if `progress` cancelled it.

    Raises
    ------
    UsageError
        If there is no such model.
    """
    data = run_models(scene, kinds, base_dir, changes, progress)
    return None if data is None else Comparison(data, scene_file, base_dir)


def compare_models(
    scene: Scene | str | Path, *kinds: str, duration: float | None = None, rate: float | None = None, **values: Any
) -> Comparison:
    """Run a scene in several models, side by side, and compare them with the first that can run it.

    A model that cannot run the scene, or whose physics failed, says so in `Comparison.data.runs`.

    Parameters
    ----------
    scene : Scene or path
        A scene, its file, or a CSV that SnakeStudio exported.
    *kinds : str
        Models, as in `scene.model.kind`; all of them, the scene's own first, if left out.
    duration : float, optional
        Simulated time, s; the scene's own if left out.
    rate : float, optional
        Rows a simulated second, Hz; the scene's own if left out.
    **values
        Scene values by dotted key: ``**{"gait.amplitude_deg": 30}``.

    Raises
    ------
    SceneError
        If the scene cannot be read.
    UsageError
        If there is no such model.
    """
    prepared, base_dir, changes = prepare(scene, duration, rate, values)
    name = None if isinstance(scene, Scene) else Path(scene).name
    comparison = compare_scene(prepared, kinds, base_dir, changes, name)
    assert comparison is not None, "nothing cancels it"
    return comparison


class ChainReport:
    """Chains of links beside a continuous body; as text it is the table of errors and orders.

    Attributes
    ----------
    data : ChainComparison
        Everything as arrays: joint by joint, by number of links and instant.
    scene_file : str or None
        Name of the file the scene came from.
    """

    def __init__(self, data: ChainComparison, scene_file: str | None = None) -> None:
        self.data = data
        self.scene_file = scene_file

    def __str__(self) -> str:
        return chain_text.report(self.data)

    def to_csv(self, path: str | Path) -> None:
        """Write all joints of all chains.

        Raises
        ------
        ExportError
            If the file cannot be written.
        """
        write_chain(path, self.data, self.scene_file)


def compare_scene_chain(
    scene: Scene,
    links: Sequence[int] = (),
    times: Sequence[float] = (),
    base_dir: Path | None = None,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
    own_axes: bool = False,
) -> ChainReport | None:
    """Hold chains against a scene's continuous body, see `session.chain_comparison`; None if `progress` cancelled it.

    Raises
    ------
    UsageError, SceneError, PhysicsError
    """
    data = run_chains(scene, links, times, base_dir, progress, own_axes)
    return None if data is None else ChainReport(data, scene_file)


def compare_chain(
    scene: Scene | str | Path, *links: int, at: float | Sequence[float] = (), own_axes: bool = False, **values: Any
) -> ChainReport:
    """Hold chains of rigid links against the continuous body of a scene.

    Parameters
    ----------
    scene : Scene or path
        A scene, its file, or a CSV that SnakeStudio exported.
    *links : int
        Numbers of links; 8, 16, ... 256 if left out, under friction up to 64.
    at : float or sequence of float
        Instants, s; half of the run if left out.
    own_axes : bool
        Whether rings push along the axes of the link they are on, which costs an order.
    **values
        Scene values by dotted key: ``**{"strain.speed_m_s": 0.3}``.

    Raises
    ------
    SceneError
        If the scene cannot be read or run.
    UsageError
        If it has no continuous body.
    PhysicsError
        If a run fails.
    """
    prepared, base_dir, _ = prepare(scene, None, None, values)
    name = None if isinstance(scene, Scene) else Path(scene).name
    times = (at,) if isinstance(at, int | float) else tuple(at)
    found = compare_scene_chain(prepared, links, times, base_dir, name, None, own_axes)
    assert found is not None, "nothing cancels it"
    return found


def plan(
    scene: Scene | str | Path, path: str | Path, *, width_mm: float = 180.0, names: bool = False, **values: Any
) -> Path:
    """Draw the plan of a scene to scale: obstacles, the robot at its start and the path, seen from above.

    Parameters
    ----------
    scene : Scene, str or Path
    path : str or Path
        SVG, PNG or PDF, by its suffix.
    width_mm : float
        Width of the sheet; its height follows.
    names : bool
        Whether obstacles are named.
    **values
        Scene values to replace, by dotted key.

    Returns
    -------
    Path
        What was written.

    Raises
    ------
    SnakeStudioError
        Naming what is wrong.
    """
    from snakestudio.export.plan import write_plan

    prepared, base_dir, _ = prepare(scene, values=values)
    return write_plan(Path(path), prepared, base_dir, width_mm=width_mm, names=names)


def check(scene: Scene | str | Path) -> list[Problem]:
    """Everything that is wrong or doubtful in a scene or scene file; empty if nothing is."""
    from snakestudio.session import scene_check

    base_dir: Path | None = None
    if not isinstance(scene, Scene):
        base_dir = Path(scene).parent
        try:
            scene = load_scene(scene)
        except SceneError as error:
            return list(error.problems) or [Problem("error", "", str(error), "")]
    return scene_check.check(scene, base_dir)
