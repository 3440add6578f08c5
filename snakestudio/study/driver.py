"""Execution of a study: requests points, reuses known runs, distributes the rest and stores every finished run."""

from __future__ import annotations

import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from snakestudio.errors import SceneError, StudyError
from snakestudio.model.scene_file import dump_scene
from snakestudio.plugins.packing import packed
from snakestudio.study.cluster import Answer, Cluster, WorkerInfo
from snakestudio.study.crew import DIED, Crew
from snakestudio.study.evaluate import Chunk, files_of, stop
from snakestudio.study.plan import Plan, Point
from snakestudio.study.results import PointScore, score_of
from snakestudio.study.run_key import code_hash, run_key, study_hash
from snakestudio.study.samplers import Sampler, sampler
from snakestudio.study.store import RunOutcome, RunRequest, Store
from snakestudio.study.study_file import dump_study
from snakestudio.study.worker import WorkerResult, work

CHUNK_S = 1.0
"""Work in one chunk for a worker, s: far longer than the overhead, but short enough to lose."""

MOST_IN_CHUNK = 256

_AHEAD = 2
"""Number of chunks assigned to every worker, including the current one."""

_WAIT_S = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a study."""

    state: Literal["starting", "running", "paused", "done", "cancelled"]
    runs: int
    """Total number of runs, as far as known."""

    finished: int = 0
    """Number of finished runs."""

    known: int = 0
    """Number of finished runs that were reused."""

    failed: int = 0
    """Number of failed runs."""

    left_s: float = math.nan
    """Remaining time, s; NaN if unknown."""

    workers: tuple[WorkerInfo, ...] = ()
    dashboard: str = ""
    """Address of dask's own page; "" if there is none."""

    notes: tuple[str, ...] = ()
    """Messages for the user."""


class Driver:
    """Runs one study, once. `pause`, `resume` and `cancel` may be called from any thread.

    Parameters
    ----------
    store : Store
        Open for writing.
    cluster : callable
        Creates the cluster when the first run has to be computed.
    progress : callable, optional
        Called with a `Progress` several times per second.
    clock : callable
        Returns the time, s.
    units : mapping, optional
        Units of goals and limits by name, stored with the results.
    retry : bool
        Whether runs that crashed their workers are repeated once.

    Attributes
    ----------
    crew : Crew or None
        Workers; None until the first run has to be computed.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        cluster: Callable[[], Cluster],
        progress: Callable[[Progress], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        units: Mapping[str, str] | None = None,
        retry: bool = False,
    ) -> None:
        self._plan = plan
        self._store = store
        self._make_cluster = cluster
        self._tell = progress
        self._clock = clock
        self._units = dict(units or {})
        self.crew: Crew | None = None
        self._paused, self._cancelled = threading.Event(), threading.Event()
        scene, files = files_of(plan.scene, plan.base_dir)
        self._measures = tuple(part.measure for part in plan.study.measured)
        self._name = f"{plan.source}-{time.time_ns()}"
        self._template = Chunk(
            self._name, dump_scene(scene), files, self._measures, code_hash(), (), packed()
        )
        self._shared = study_hash(self._measures, files)
        self._progress = Progress("starting", plan.study.n_runs)
        self._waiting: deque[RunRequest] = deque()  # runs that are not submitted yet
        self._under_way: dict[int, tuple[RunRequest, ...]] = {}  # submitted runs, by ticket
        self._open: dict[str, int] = {}  # number of runs that wait for each key
        self._refusals: dict[str, str] = {}
        self._batch: list[list[RunRequest]] = []
        self._outcomes: dict[str, RunOutcome] = {}  # outcomes of the batch, by key
        self._retry, self._tried = retry, set[str]()
        self._seconds = 0.0
        self._measured = 0
        self._exhausted = False

    # ---------------------------------------------------------------------------------- any thread

    def pause(self) -> None:
        """Pause: submit no more runs; submitted ones finish."""
        self._paused.set()

    def resume(self) -> None:
        """Resume after a pause."""
        self._paused.clear()

    def cancel(self) -> None:
        """Cancel immediately; finished runs are kept."""
        self._cancelled.set()

    # -------------------------------------------------------------------------------------- the run

    def run(self) -> Progress:
        """Run the study to its end, or until it is cancelled.

        Raises `StudyError` if results cannot be stored, or there are no workers.

        Returns
        -------
        Progress
            Final progress.
        """
        study = self._plan.study
        points = sampler(self._plan)
        about = {
            "study": dump_study(study),
            "scene": self._template.scene,
            "code": self._template.code,
        }
        self._store.begin({**about, "units": json.dumps(self._units)})
        try:
            while not self._cancelled.is_set():
                self._request_points(points)
                if not self._open and self._exhausted:
                    break
                self._hand_out()
                self._receive(self.crew.answers(_WAIT_S) if self.crew is not None else [])
                self._report("paused" if self._paused.is_set() else "running")
        finally:
            if self.crew is not None:
                if self._cancelled.is_set():
                    self.crew.cluster.stop(stop, self._name)
                self.crew.cluster.close()
        self._report("cancelled" if self._cancelled.is_set() else "done", final=True)
        return self._progress

    def _request_points(self, points: Sampler) -> None:
        """Request enough points from the sampler, and pass it the scores that it waits for."""
        while not self._exhausted and not self._cancelled.is_set():
            if points.adaptive:
                if self._open:
                    return
                if self._batch:
                    points.receive_scores([self._score(repeats) for repeats in self._batch])
            elif len(self._waiting) >= 2 * MOST_IN_CHUNK:
                return
            before = len(points.begun)
            batch = points.ask()
            if len(points.begun) > before:
                self._store.note("searches", json.dumps(points.begun))
            if not batch:
                self._exhausted = True
                runs = self._progress.finished + sum(self._open.values())
                self._progress = replace(self._progress, runs=runs)
                return
            self._add_batch(batch, points.adaptive)

    def _add_batch(self, batch: list[Point], keep: bool) -> None:
        """Add the runs of new points: known ones count immediately, the rest waits."""
        count = self._plan.study.repeats.count
        every = [self._request_for(point, repeat) for point in batch for repeat in range(count)]
        self._store.add_requests(every)
        known = self._store.known([request.key for request in every])
        if self._retry:
            known = {
                key: outcome
                for key, outcome in known.items()
                if outcome.state != "killed" or key in self._tried
            }
            self._tried.update(request.key for request in every)
        refused = {
            key: self._refused(key, why) for key, why in self._refusals.items() if key not in known
        }
        self._refusals.clear()
        if refused:
            self._store.add_outcomes(refused.values())
            known |= refused
        if keep:
            self._batch = [every[k : k + count] for k in range(0, len(every), count)]
            self._outcomes = dict(known)
        for request in every:
            if request.key in known:
                self._count(1, known[request.key].state != "done", request.key not in refused)
            elif request.key in self._open:  # another point has the same run
                self._open[request.key] += 1
            else:
                self._open[request.key] = 1
                self._waiting.append(request)

    def _request_for(self, point: Point, repeat: int) -> RunRequest:
        try:
            values = self._plan.repeat(point, repeat)
            return RunRequest(
                point.number, repeat, run_key(self._shared, self._plan.scene_at(values)), values
            )
        except SceneError as error:  # contradicting values at this point
            key = run_key(f"{self._shared}{sorted(point.values.items())}{repeat}", self._plan.scene)
            self._refusals[key] = str(error).splitlines()[0]
            return RunRequest(point.number, repeat, key, dict(point.values))

    def _refused(self, key: str, why: str) -> RunOutcome:
        return RunOutcome(key, "refused", why, tuple(math.nan for _ in self._measures))

    def _count(self, runs: int, failed: bool, known: bool = False) -> None:
        now = self._progress
        self._progress = replace(
            now,
            finished=now.finished + runs,
            failed=now.failed + runs * failed,
            known=now.known + runs * known,
        )

    # ------------------------------------------------------------------------------------ submitting

    def _hand_out(self) -> None:
        """Submit enough chunks for every worker; runs that the sampler waits for come first."""
        if not self._waiting and not self._under_way:
            return
        if self.crew is None:
            remedy = "Restart it, and resume the study: finished runs are kept."
            self.crew = Crew(self._make_cluster(), remedy, self._clock)
        crew = self.crew
        self._update_workers(crew)
        if self._paused.is_set():
            return
        most = _AHEAD * max(1, len(crew.fit))
        while self._waiting and len(self._under_way) < most:
            size = 1
            if self._measured:
                # At the end, or in a small generation, all workers get a share.
                count = math.ceil(len(self._waiting) / max(1, len(crew.fit)))
                size = max(
                    1,
                    min(
                        round(CHUNK_S * self._measured / max(self._seconds, 1e-6)),
                        count,
                        MOST_IN_CHUNK,
                    ),
                )
            self._submit(
                crew, tuple(self._waiting.popleft() for _ in range(min(size, len(self._waiting))))
            )

    def _submit(self, crew: Crew, runs: tuple[RunRequest, ...]) -> None:
        chunk = replace(
            self._template, runs=tuple((request.key, request.changes) for request in runs)
        )
        self._under_way[crew.submit(work, chunk)] = runs

    def _update_workers(self, crew: Crew) -> None:
        """Update the workers periodically, and requeue tasks of workers that are gone.

        Raises `StudyError` if the scheduler is lost, or no worker is usable for some time.
        """
        try:
            if not crew.update():
                return
        finally:
            self._progress = replace(
                self._progress,
                workers=crew.workers,
                notes=crew.notes,
                dashboard=crew.cluster.dashboard,
            )
        for ticket in crew.stranded():
            self._waiting.extendleft(reversed(self._under_way.pop(ticket)))

    # ------------------------------------------------------------------------------------- receiving

    def _receive(self, answers: list[Answer]) -> None:
        outcomes: list[RunOutcome] = []
        for answer in answers:
            runs = self._under_way.pop(answer.ticket, ())
            if not runs or self.crew is None:
                continue
            if (
                answer.killed and len(runs) > 1
            ):  # submit each alone, to identify the one that crashes
                for request in runs:
                    self._submit(self.crew, (request,))
            elif answer.killed:
                outcomes.append(
                    RunOutcome(runs[0].key, "killed", DIED, tuple(math.nan for _ in self._measures))
                )
            elif isinstance(answer.value, WorkerResult):
                outcomes += answer.value.outcomes
                self._measured += len(answer.value.outcomes)
                self._seconds += sum(outcome.seconds for outcome in answer.value.outcomes)
                if answer.value.foreign:
                    self.crew.turn_away(answer.value.address)
                ended = {outcome.key for outcome in answer.value.outcomes}
                self._waiting.extendleft(
                    request for request in reversed(runs) if request.key not in ended
                )
            elif answer.error is not None:
                raise StudyError(
                    f"{self._plan.source}: a worker could not compute ({type(answer.error).__name__}: {answer.error});"
                    " finished runs are kept. Check the worker, and resume the study."
                ) from answer.error
        if outcomes:
            self._store.add_outcomes(outcomes)
        for outcome in outcomes:
            self._count(self._open.pop(outcome.key, 0), outcome.state != "done")
            if self._batch:
                self._outcomes[outcome.key] = outcome

    def _score(self, repeats: list[RunRequest]) -> PointScore:
        return score_of(self._plan.study, [self._outcomes[request.key] for request in repeats])

    def _report(
        self, state: Literal["running", "paused", "done", "cancelled"], final: bool = False
    ) -> None:
        left = math.nan
        if self._measured and self.crew is not None and self.crew.fit:
            rest = self._progress.runs - self._progress.finished
            left = rest * self._seconds / self._measured / len(self.crew.fit)
        self._progress = replace(self._progress, state=state, left_s=0.0 if final else left)
        if self._tell is not None:
            self._tell(self._progress)
