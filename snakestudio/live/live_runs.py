"""Measurements of a live robot as runs, to display and to record.

Time 0 is the start of streaming: every stream is a separate run, with a file. Before that, samples
go to a run in memory that holds about the last ten minutes. After streaming the run continues for
`TAIL_S`, so that it shows the effect of stopping, and it remains the current run until the robot is
reset, armed again or its scene changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from snakestudio.errors import SceneError
from snakestudio.link.messages import Telemetry
from snakestudio.link.profile.schema import Profile
from snakestudio.live.base_pose import BasePose, base_pose_at
from snakestudio.live.pose_source import PoseSource
from snakestudio.live.reference_scheduler import ReferenceScheduler
from snakestudio.live.run import LiveRun
from snakestudio.live.snapshot_builder import SnapshotBuilder
from snakestudio.live.twin import Twin
from snakestudio.model.events import EventKind
from snakestudio.model.recording import Recording
from snakestudio.model.robot.pose import initial_state
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Snapshot
from snakestudio.runfile.mcap import Origin
from snakestudio.runfile.recording import RunRecording

TAIL_S = 5.0
"""How long a run continues after streaming, s."""


class LiveRuns:
    """The current run of a live robot; `use` starts the first one.

    Only the live robot's thread calls its methods; any thread may read `recording`, `latest` and
    `twin`, which are replaced as whole objects.

    Parameters
    ----------
    pose : PoseSource or None
        Source of tracked poses; it is started here, and closed by the caller.
    with_twin : bool
        Whether the simulation runs alongside streams.
    warn : callable
        Called with messages about the twin.
    clock : callable
        The machine's monotonic clock, s.
    """

    def __init__(
        self,
        profile: Profile,
        base_dir: Path | None,
        pose: PoseSource | None,
        *,
        with_twin: bool,
        warn: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self.run: LiveRun | None = None
        """Current run; None before the first scene, and for a scene without links."""
        self.recording: RunRecording | None = None
        """Recording of the current run."""
        self.latest: Snapshot | None = None
        """Newest snapshot; each one is a new object."""
        self._profile = profile
        self._base_dir = base_dir
        self._pose = pose
        self._with_twin = with_twin
        self._warn = warn
        self._clock = clock
        self._snapshot_builder: SnapshotBuilder | None = None
        self._built_scene: Scene | None = None
        self._twin: Twin | None = None
        self._pose_links = 0
        self._pose_age = math.nan

    @property
    def twin(self) -> Recording | None:
        """Recording of the simulated twin; None if there is no twin."""
        twin = self._twin
        return None if twin is None else twin.recording

    @property
    def scheduler(self) -> ReferenceScheduler | None:
        """Scheduler of the references that the robot follows or is about to; None while it is only watched."""
        run = self.run
        return None if run is None or run.ended is not None else run.reference_scheduler

    def listen(self, n_links: int) -> None:
        """Start the pose source for `n_links` links; raises `LinkError` if it cannot be opened."""
        if self._pose is not None and n_links != self._pose_links:
            self._pose.begin(n_links)
            self._pose_links = n_links

    def use(self, scene: Scene) -> None:
        """Change the scene, and start a run in memory."""
        self.close()
        if not scene.body.jointed:
            self.run = None
            self._snapshot_builder = None
            self._built_scene = None
            self.recording = None
            self.latest = None
            return
        self.listen(scene.robot.n_links)
        self._build_for(scene)
        self._watch(scene)

    def watch(self, scene: Scene) -> None:
        """Start a run in memory."""
        if self.measures(scene):
            self._watch(scene)
        else:
            self.use(scene)

    def _watch(self, scene: Scene) -> None:
        assert self._snapshot_builder is not None
        self.close()
        self._twin = None
        self._set_run(
            LiveRun(
                self._profile, scene, self._clock(), self._snapshot_builder, self._pose is not None
            )
        )

    def measures(self, scene: Scene) -> bool:
        """Return whether snapshots are built for robot, model and run of `scene`."""
        built = self._built_scene
        return built is not None and (built.robot, built.model, built.run) == (
            scene.robot,
            scene.model,
            scene.run,
        )

    def _build_for(self, scene: Scene) -> None:
        self._built_scene = scene
        self._snapshot_builder = SnapshotBuilder(
            self._profile, scene, self._base_pose(scene), self._profile.timing.lost_s
        )

    def resume_watching(self, scene: Scene) -> None:
        """Start a run in memory if the current run is that of a stream."""
        if self.run is not None and not self.run.watched:
            self.watch(scene)

    def stream(
        self,
        scene: Scene,
        begin: float,
        scheduler: ReferenceScheduler,
        path: Path | None,
        stops: int,
    ) -> LiveRun:
        """Start the run of a stream, with a new twin.

        Parameters
        ----------
        scene : Scene
            Its start is the actual state of the robot.
        begin : float
            Time 0 of the run, s, monotonic.
        path : Path or None
            Run file; None if the run is not saved.
        stops : int
            Number of stops requested before the stream.
        """
        if not self.measures(scene):
            self._build_for(scene)
        assert self._snapshot_builder is not None
        twin = None
        if self._with_twin:
            twin = Twin(scene, self._base_dir, lambda: self._clock() - begin, self._warn)
        self._twin = twin
        self.close()
        run = LiveRun(
            self._profile,
            scene,
            begin,
            self._snapshot_builder,
            self._pose is not None,
            path,
            Origin(base_dir=self._base_dir, robot=self._profile.name),
            scheduler,
            twin,
        )
        run.stops = stops
        self._set_run(run)
        return run

    def measure(self, telemetry: Telemetry, now: float) -> Snapshot | None:
        """Return the snapshot at `now` (s, monotonic), without columns; None for a scene without links."""
        if self.run is None or self._snapshot_builder is None:
            return None
        tracked = None if self._pose is None else self._pose.latest
        self._pose_age = math.nan if tracked is None else now - tracked.time
        return self._snapshot_builder.snapshot(telemetry, tracked, self.run.time(now), now)

    def record(self, telemetry: Telemetry, snapshot: Snapshot) -> None:
        """Add the newest measurement to the current run, and publish it in `latest`."""
        run = self.run
        assert run is not None
        self.latest = run.add(telemetry, snapshot, self._pose_age)
        if run.full:
            self._set_run(run.continued())

    def end_tail(self, now: float) -> None:
        """End the run of a stream `TAIL_S` after its end; `now` in s, monotonic."""
        run = self.run
        if run is not None and run.ended is not None and now - run.ended > TAIL_S:
            run.close()

    def note(self, text: str, kind: EventKind) -> None:
        """Add an event at the current time to the recording of the current run."""
        if self.run is not None:
            self.run.note(text, kind, self._clock())

    def close(self) -> None:
        """End the current run; its recording can still be read."""
        if self.run is not None:
            self.run.close()

    def _set_run(self, run: LiveRun) -> None:
        self.run = run
        self.recording = run.recording

    def _base_pose(self, scene: Scene) -> BasePose:
        """Return the assumed base of the robot while its pose is not measured."""
        try:
            return base_pose_at(initial_state(scene, self._base_dir)[0], not scene.model.spatial)
        except SceneError:  # reported among the reasons why the robot cannot be armed
            return BasePose(np.zeros(2), 0.0, not scene.model.spatial)
