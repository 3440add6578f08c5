"""Batches compared with single runs and MuJoCo's rollout: 64 worlds with different friction, two threads."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import mujoco.rollout
import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.api.batch import Batch, open_batch
from snakestudio.engines import registry
from snakestudio.engines.base import Checkpoint, Engine
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from tests.engines.common import gait_reference
from tests.peers import mujoco_robot

Row = tuple[str, object, str, str, bool]

WORLDS = 64
THREADS = 2
PERIODS = 20
ROUNDS = 9
CALLS = 100


class Taken(NamedTuple):
    """Wall and processor time of some work, s."""

    wall: float
    processor: float


def timed(work: Callable[[], object]) -> Taken:
    """Wall and processor time of `work`."""
    wall = time.perf_counter()
    processor = time.process_time()
    work()
    return Taken(time.perf_counter() - wall, time.process_time() - processor)


class Case:
    """A scene as a batch and as single engines, after the transient of its start.

    Parameters
    ----------
    name : str
        Name of a bundled scene.
    """

    def __init__(self, name: str) -> None:
        self.scene: Scene = load_scene(scenes_dir() / f"{name}.toml")
        self.period = self.scene.steps_per_period
        self.begin = round(1.0 / self.scene.solver.step_s)
        mu = np.linspace(0.15, 0.35, WORLDS)
        values = {"ground.mu_along": mu, "ground.mu_across": mu}
        self.reference = gait_reference(self.scene, self.begin + PERIODS * self.period)
        self.batches = {
            threads: open_batch(self.scene, WORLDS, threads=threads, values=values)
            for threads in (1, 2)
        }
        self.engines: list[Engine] = []
        self.saved: list[Checkpoint] = []
        for each in mu:
            scene = with_values(self.scene, {key: float(each) for key in values})
            engine = registry.create(scene)
            assert engine.advance(self.reference, self.begin, ()).ok
            self.engines.append(engine)
            self.saved.append(engine.checkpoint())
        self.states = {}
        for threads, batch in self.batches.items():
            self.run(batch, 0, self.begin)
            self.states[threads] = batch.save()

    def run(self, batch: Batch, begin: int, end: int) -> None:
        """Step with targets and rates of the gait, one call per period."""
        for step in range(begin, end, self.period):
            batch.step(self.reference.angle[step], self.period, rates=self.reference.rate[step])
        assert not batch.failed

    def batch(self, threads: int) -> Taken:
        """Time of the measured periods in all worlds of the batch."""
        batch = self.batches[threads]
        batch.restore(self.states[threads])
        return timed(lambda: self.run(batch, self.begin, self.begin + PERIODS * self.period))

    def single(self) -> Taken:
        """Time of the same with single engines, one call each."""
        for engine, saved in zip(self.engines, self.saved, strict=True):
            engine.restore(saved)

        def work() -> None:
            for engine in self.engines:
                assert engine.advance(self.reference, PERIODS * self.period, ()).ok

        return timed(work)

    def close(self) -> None:
        """End all threads."""
        for batch in self.batches.values():
            batch.close()


class Peer:
    """MuJoCo's rollout of the exported model, from the start."""

    def __init__(self, scene: Scene, steps: int, reference: JointReference) -> None:
        self.model, data = mujoco_robot.build(scene, cone="pyramidal", lean=True)
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        first = np.zeros(mujoco.mj_stateSize(self.model, spec))
        mujoco.mj_getState(self.model, data, first, spec)
        control = mujoco_robot.commands(scene, reference, steps)
        self.first: FloatArray = np.tile(first, (WORLDS, 1))
        self.control: FloatArray = np.tile(control, (WORLDS, 1, 1))
        self.data = [mujoco.MjData(self.model) for _ in range(THREADS)]
        self.states: FloatArray = np.zeros((WORLDS, steps, len(first)))
        self.rollout = mujoco.rollout.Rollout(nthread=THREADS)

    def run(self) -> Taken:
        """Time of all worlds."""
        return timed(
            lambda: self.rollout.rollout(
                self.model, self.data, self.first, self.control, state=self.states
            )
        )


def compared(name: str, bar: float, peer_bar: float | None) -> list[Row]:
    """Compare, in turns: single engines, batches with one and two threads, MuJoCo."""
    case = Case(name)
    steps = PERIODS * case.period
    peer = None if peer_bar is None else Peer(case.scene, steps, gait_reference(case.scene, steps))
    taken: dict[str, list[Taken]] = {}
    for _ in range(ROUNDS):
        turns: dict[str, Callable[[], Taken]] = {
            "single": case.single,
            "one": lambda: case.batch(1),
            "two": lambda: case.batch(2),
        }
        if peer is not None:
            turns["peer"] = peer.run
        for kind, turn in turns.items():
            taken.setdefault(kind, []).append(turn())
    case.close()

    def ratio(of: str, to: str, what: str) -> float:
        pairs = zip(taken[of], taken[to], strict=True)
        return float(statistics.median(getattr(a, what) / getattr(b, what) for a, b in pairs))

    two = statistics.median(t.processor / t.wall for t in taken["two"])
    rate = WORLDS * steps / statistics.median(t.wall for t in taken["two"])
    faster = ratio("single", "two", "wall")
    per_core = ratio("single", "two", "processor")
    rows: list[Row] = [
        (f"{name}: 64 worlds, two threads", 1e-3 * rate, "k steps/s", "", True),
        (f"{name}: available processors", two, "", "2 if they were free", True),
        (f"{name}: faster than 64 single runs", faster, "x", f">= {bar:g}", faster >= bar),
        (
            f"{name}: one thread relative to single runs",
            ratio("single", "one", "wall"),
            "x",
            "",
            True,
        ),
        (
            f"{name}: speed per processor relative to single runs",
            per_core,
            "x",
            ">= 0.9",
            per_core >= 0.9,
        ),
    ]
    if peer is not None:
        assert peer_bar is not None
        peer_ratio = ratio("peer", "two", "wall")
        rows.append(
            (
                f"{name}: faster than MuJoCo's rollout",
                peer_ratio,
                "x",
                f">= {peer_bar:g}",
                peer_ratio >= peer_bar,
            )
        )
        rows.append(
            (f"{name}: ... by processor time", ratio("peer", "two", "processor"), "x", "", True)
        )
    return rows


def steps(batch: Batch, targets: FloatArray, n: int) -> None:
    """Make `CALLS` calls of `n` steps."""
    for _ in range(CALLS):
        batch.step(targets, n)


def short_calls(name: str) -> list[Row]:
    """Overhead of a call of one step."""
    case = Case(name)
    case.close()
    with open_batch(case.scene, WORLDS, threads=1) as batch:
        targets = batch.state.joint_angle.copy()
        call = min(timed(lambda: steps(batch, targets, 0)).wall for _ in range(ROUNDS)) / CALLS
        batch.step(targets, 1)
        one = min(timed(lambda: steps(batch, targets, 1)).wall for _ in range(ROUNDS)) / CALLS
        read = []
        for _ in range(ROUNDS):
            batch.step(targets, 1)
            read.append(timed(lambda: batch.state.link_pose).wall)
    return [
        (f"{name}: a call of no steps, 64 worlds", 1e6 * call, "us", "", True),
        (f"{name}: a call of one step, 64 worlds", 1e6 * one, "us", "", True),
        (f"{name}: reading the states of 64 worlds", 1e6 * min(read), "us", "", True),
    ]


def run() -> list[Row]:
    """All rows."""
    return [
        *compared("sidewinding", 1.9, 2.5),
        *compared("obstacle_aided", 1.6, None),
        *short_calls("sidewinding"),
    ]
