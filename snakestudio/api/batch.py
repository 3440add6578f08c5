"""Batches: many simulations of one scene that are stepped by one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray
from snakestudio.api.batch_scenes import Values, build_world, values_by_world, values_of_first
from snakestudio.api.batch_state import BatchState, WorldRows
from snakestudio.api.plugins import load_plugins
from snakestudio.api.running import Run, prepare
from snakestudio.api.seeds import is_random, seed_of
from snakestudio.control import registry as controllers
from snakestudio.control.authoring import LawCall, evaluate_together
from snakestudio.engines.base import Checkpoint, Engine
from snakestudio.errors import SceneError, UsageError
from snakestudio.heap import available_bytes
from snakestudio.model.arguments import is_number, wrong_kind
from snakestudio.model.reference import Reference
from snakestudio.model.renamed import warn_renamed
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot
from snakestudio.model.target_limits import TargetLimits, beyond_text
from snakestudio.session.reference_feed import ReferenceFeed
from snakestudio.session.worlds import Worlds

Points = ArrayLike | None
"""Values of all joint axes, (n_worlds, m), or (m,) for the same in all worlds."""

WORLD_BYTES = 60_000
"""Memory of a world in addition to its arrays, bytes: its scene, engine and row in the table of
addresses."""

MOST_STEPS = 10**9
"""Largest number of steps per call."""


def open_batch(
    scene: Scene | Run | str | Path,
    n: int,
    values: Values = None,
    *,
    threads: int | None = None,
    seed: int | None = None,
    plugins: Sequence[str | Path] = (),
) -> Batch:
    """Open `n` simulations (worlds) of a scene, which compiled code steps together in several threads.

    Raises `PluginError` if a plug-in cannot be loaded. Raises `SceneError` if a world cannot
    run; the message names the world and its problems. Raises
    `UsageError` if an argument is invalid or there is not enough memory.

    Parameters
    ----------
    n : int
        Number of worlds.
    values : mapping or list of mappings, optional
        Scene values to replace: for each dotted scene key a list or array of `n` values, or one
        value for all worlds; or a list of `n` mappings. Robot, model and time step must be the same
        in all worlds.
    threads : int, optional
        Number of threads; the number of processors if omitted.
    seed : int, optional
        Seed of the random generators of the worlds, `Batch.rng`, and of the random parts of their
        scenes, as in `simulate`. World 0 is the single simulation with this seed; the
        others differ.
    plugins : sequence of path or str
        Plug-ins to load first, as in `simulate`.

    Examples
    --------
    >>> with ss.open_batch(
    ...     "scenes/sidewinding.toml", 64, values={"ground.mu_along": np.linspace(0.1, 0.5, 64)}
    ... ) as batch:
    ...     batch.step(n=4000)
    ...     print(batch.state.centre_of_mass[:, 0])
    """
    if not is_number(n, Integral) or n < 1:
        raise UsageError(f"n must be a whole number of worlds, at least 1 (got {n!r}).")
    if threads is not None and (not is_number(threads, Integral) or threads < 1):
        raise UsageError(
            f"threads must be a whole number, at least 1 (got {threads!r}). Omit it to use all."
        )
    own_seed = None if seed is None else seed_of(seed)
    load_plugins(plugins)
    prepared, base_dir, _ = prepare(scene)
    return Batch(prepared, base_dir, int(n), _threads(threads, int(n)), values, own_seed)


def _threads(threads: float | None, n: int) -> int:
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return min(processors if threads is None else int(threads), n)


@dataclass(frozen=True, slots=True)
class BatchCheckpoint:
    """Full state of all worlds of a batch; see `Batch.save`."""

    scenes: tuple[Scene, ...]
    states: tuple[Checkpoint, ...]
    failed: Mapping[int, str]
    control: tuple[Any, ...]
    intervals: tuple[tuple[Checkpoint, tuple[int, int]], ...]
    """Interval of contacts and solver statistics of each state."""


class Batch:
    """Simulations of one scene (worlds) that are stepped together; created by `open_batch`.

    Worlds are counted from 0. A world that fails stops until it is reset (`failed` has the reason);
    the others continue. Only one thread at a time can use a batch. A batch is a context manager,
    which ends its threads.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None,
        n: int,
        threads: int,
        values: Values,
        seed: int | None,
    ) -> None:
        self._base_dir = base_dir
        # Before the values of all worlds are listed, which may not fit into the memory.
        first = build_world(scene, base_dir, values_of_first(values, n), 0, n, seed)
        _check_memory(first, n)
        own = values_by_world(values, n)
        engines = [first]
        for world, mapping in enumerate(own[1:], start=1):
            checked = mapping == own[0]
            engines.append(build_world(scene, base_dir, mapping, world, n, seed, checked=checked))
        _check_alike(dict(enumerate(engines)), first)
        self._scene_values = own  # scene values of each world, by dotted key
        self.n = n
        """Number of worlds."""
        self.axes: tuple[str, ...] = tuple(axis.name for axis in first.schema.axes)
        """Names of the joint axes ("joint_3_pitch"), in the order of targets and joint angles."""
        self.energies: tuple[str, ...] = tuple(first.schema.energy)
        """Names of the energies."""
        self.threads = threads
        """Number of threads that step the worlds."""
        self._worlds = Worlds(engines, threads)
        self._closed = False
        self._start = [engine.checkpoint() for engine in engines]
        self._drives: list[ReferenceFeed | None] = [None] * n
        self._limits: list[TargetLimits] = [TargetLimits(e.scene.axis_values) for e in engines]
        self._nearest = min(limits.nearest for limits in self._limits)
        self._random = [np.random.default_rng() for _ in range(n)]
        self.seed: int | None = None
        """Last seed of the random generators and scenes; None if none was given."""
        self._draw(range(n), seed)
        self._rows = WorldRows(self._worlds)
        self.state = BatchState(self._rows, self.energies)
        """Current states of all worlds."""

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        title = self.scenes[0].title or "a scene"
        return f"<Batch of {self.n} worlds of {title}: {len(self.failed)} failed, {self.threads} threads>"

    def close(self) -> None:
        """End the threads; the batch can no longer be stepped."""
        self._closed = True
        self._worlds.close()

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("This batch is closed. Open another one.")

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """Scene of each world."""
        return tuple(engine.scene for engine in self._worlds.engines)

    @property
    def failed(self) -> dict[int, str]:
        """Reasons by world of the worlds that failed; each has the state after its last successful step."""
        return dict(sorted(self._worlds.failures.items()))

    @property
    def time(self) -> FloatArray:
        """Simulated time of each world, (n,), s."""
        return self.state.time

    @property
    def dt(self) -> float:
        """Time step, s."""
        return self._worlds.engines[0].scene.solver.step_s

    @property
    def period_steps(self) -> int:
        """Number of time steps per control period of the scene of world 0."""
        return self._worlds.engines[0].scene.steps_per_period

    @property
    def rng(self) -> tuple[np.random.Generator, ...]:
        """One random generator per world, derived from the seed; its numbers do not depend on the other worlds."""
        return tuple(self._random)

    @property
    def random(self) -> tuple[np.random.Generator, ...]:
        """Former name of `rng`."""
        warn_renamed("random", "rng")
        return self.rng

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name != "random"]

    def _draw(self, worlds: Iterable[int], seed: int | None) -> None:
        if seed is not None:
            self.seed = seed
            for world in worlds:
                self._random[world] = np.random.default_rng([seed, world])

    # ---------------------------------------------------------------------------------------- steps

    def step(
        self,
        targets: Points = None,
        n: int = 1,
        *,
        rates: Points = None,
        torques: Points = None,
    ) -> None:
        """Advance every world that has not failed by `n` time steps.

        Raises `UsageError` if an array has the wrong shape or is not finite, or a target is far beyond
        the range of its joint (see `Simulation.step`); no step is taken then.

        Parameters
        ----------
        targets : (n_worlds, m) array, optional
            Target angles of the m joint axes, rad; shape (m,) for the same in all worlds. Without
            targets and torques, every world follows the gait or controller of its scene.
        n : int
            Number of steps; one call with many steps is fastest.
        rates : (n_worlds, m) array, optional
            Rates at which the targets change during the call, rad/s.
        torques : (n_worlds, m) array, optional
            Motor torques instead of targets, N m.
        """
        self._check_open()
        if not is_number(n, Integral) or not 0 <= n <= MOST_STEPS:
            raise UsageError(
                f"n must be a whole number of steps from 0 to {MOST_STEPS} (got {n!r})."
            )
        if targets is not None and torques is not None:
            raise UsageError("A step has targets or torques, not both. Omit one of them.")
        if rates is not None and targets is None:
            raise UsageError("rates need targets. Give targets, too.")
        angle = None if targets is None else self._set_points("targets", targets)
        rate = None if rates is None else self._set_points("rates", rates)
        torque = None if torques is None else self._set_points("torques", torques)
        if torque is not None:
            self._check_torques()
        elif angle is not None:
            self._check_targets()
        if n == 0:
            return
        if angle is None and torque is None:
            self._drive(int(n))
            return
        for drive in self._drives:
            if drive is not None:
                drive.discard()
        self._rows.begin(self._worlds.running())
        self._worlds.hold(int(n), angle, rate, torque)

    def step_period(
        self,
        targets: Points = None,
        n: int = 1,
        *,
        rates: Points = None,
        torques: Points = None,
    ) -> None:
        """Advance by `n` control periods of the scene of world 0; otherwise as `step`."""
        if not is_number(n, Integral):
            raise wrong_kind("n", "a whole number", n)
        self.step(targets, int(n) * self.period_steps, rates=rates, torques=torques)

    def _set_points(self, name: str, points: ArrayLike) -> FloatArray:
        """Return the values for all joint axes of all worlds."""
        m = len(self.axes)
        if not m:
            raise UsageError(
                f"This body has no joints, so {name} cannot be used. Call step without {name}."
            )
        try:
            values = np.asarray(points, dtype=np.float64)
        except (TypeError, ValueError):
            raise wrong_kind(
                name, f"an array of numbers of shape ({self.n}, {m})", points
            ) from None
        if values.shape not in ((self.n, m), (m,)):
            raise UsageError(
                f"{name} must have the shape ({self.n}, {m}), one row per world and one column per joint axis "
                f"(got {values.shape})."
            )
        if not (np.abs(values) <= self._nearest).all():
            self._check_range(name, values)
        return np.broadcast_to(values, (self.n, m))

    def _check_range(self, name: str, values: FloatArray) -> None:
        """Raise `UsageError` if a value is not finite, or a target is far beyond its joint's range."""
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            at = ", ".join(map(str, wrong[0].tolist()))
            raise UsageError(f"{name}[{at}] is not a finite number. No step was taken.")
        if name != "targets":
            return
        for world, own in enumerate(np.broadcast_to(values, (self.n, len(self.axes)))):
            axis = self._limits[world].first_beyond(own)
            if axis is not None:
                where = f"targets[{axis}]" if values.ndim == 1 else f"targets[{world}, {axis}]"
                raise UsageError(beyond_text(where, self.axes[axis], float(own[axis])))

    def _check_torques(self) -> None:
        for world, engine in enumerate(self._worlds.engines):
            scene = engine.scene
            if scene.solver.joints == "implicit" and not scene.gives_torques:
                raise UsageError(
                    f"World {world} has implicit joint controllers, which do not accept torques. "
                    'Set solver.joints to "explicit".'
                )

    def _check_targets(self) -> None:
        for world, engine in enumerate(self._worlds.engines):
            if engine.scene.gives_torques:
                raise UsageError(
                    f"The joints of world {world} follow torques. Give torques, or choose another kind "
                    'for "gait".'
                )

    def _drive(self, n_steps: int) -> None:
        """Advance under the references of the controllers of the worlds."""
        worlds = self._worlds
        self._make_drives(worlds.running().tolist())
        self._rows.begin([world for world in worlds.running() if self._rows.expired[world]])
        begin = worlds.steps.copy()
        left = n_steps
        while left > 0 and len(running := worlds.running().tolist()):
            self._request(running, left)
            references: list[Reference | None] = [None] * self.n
            count = left
            begun = []
            for world in running:
                drive = self._drives[world]
                now = worlds.steps.item(world)
                assert drive is not None
                references[world] = drive.reference
                count = min(count, drive.end - now)
                if drive.begins_interval(now, begin.item(world)):
                    begun.append(world)
            self._rows.begin(begun)
            self._rows.outdate(running)
            worlds.follow(count, references)
            left -= count

    def _request(self, running: list[int], left: int) -> None:
        """Request the references of worlds without any for the next step.

        Laws that compute many worlds together are evaluated, and need no snapshot.
        """
        due: dict[int, Snapshot | None] = {}
        alone: dict[bool, list[int]] = {
            True: [],
            False: [],
        }  # keyed by whether contacts are required
        calls = []
        for world in running:
            drive = self._drives[world]
            now = self._worlds.steps.item(world)
            assert drive is not None
            if drive.covers(now):
                continue
            due[world] = None
            if drive.batch_law is not None:
                time = drive.knots(now, left)
                calls.append(LawCall(world, *drive.batch_law, time, drive.closed_loop))
            elif drive.closed_loop:
                alone[Fields.CONTACTS in drive.controller.needs].append(world)
        evaluate_together(calls, self._state_of)
        for contacts, worlds in alone.items():
            if worlds:
                due |= zip(worlds, self._rows.snapshots(worlds, contacts), strict=True)
        for world in due:
            drive = self._drives[world]
            now = self._worlds.steps.item(world)
            assert drive is not None
            if not drive.covers(now):  # worlds can share it
                drive.request(now, left, partial(due.__getitem__, world))

    def _state_of(self, worlds: list[int]) -> BatchState:
        """Return the state of some worlds."""
        if len(worlds) == self.n:
            return self.state
        return BatchState(self._rows, self.energies, np.array(worlds, np.int64))

    def _make_drive(self, scene: Scene) -> ReferenceFeed:
        """Reference feed of a scene; worlds with the same gait and start time share one."""
        controller = controllers.create(scene, self._base_dir, checked=True)
        return ReferenceFeed.of_scene(controller, scene, steered=False)

    def _make_drives(self, running: list[int]) -> None:
        """Create the missing reference feeds of the running worlds; equal gaits are created once."""
        shared: dict[Any, ReferenceFeed] = {}
        for world in running:
            if self._drives[world] is None:
                scene = self._worlds.engines[world].scene
                drive = self._make_drive(scene)
                if not drive.one_period and scene.body.jointed:
                    start = initial_joint_angles(scene, self._base_dir).tobytes()
                    same = scene.model_copy(update={"ground": None, "obstacles": (), "run": None})
                    drive = shared.setdefault((same, start, int(self._worlds.steps[world])), drive)
                self._drives[world] = drive

    # --------------------------------------------------------------------------------------- states

    def reset(
        self, mask: ArrayLike | None = None, seed: int | None = None, values: Values = None
    ) -> None:
        """Reset worlds to their start, including those that have failed.

        Raises `SceneError` or `UsageError` if an argument is invalid; nothing is changed then.

        Parameters
        ----------
        mask : (n_worlds,) array of bool, optional
            Worlds to reset; all if omitted.
        seed : int, optional
            New seed of the random generators, and of the random parts of the scenes. Both are
            unchanged if omitted.
        values : optional
            Scene values to change, as in `open_batch`, with an entry for every world, including
            those that are not reset.
        """
        new_seed = None if seed is None else seed_of(seed)
        worlds = self._masked(mask)
        own = values_by_world(values, self.n)
        present = self._worlds.engines
        changed = {
            world: build_world(
                present[world].scene,
                self._base_dir,
                own[world],
                world,
                self.n,
                new_seed,
                self._scene_values[world],
            )
            for world in worlds
            if own[world] or (new_seed is not None and is_random(present[world].scene))
        }
        _check_alike(changed, present[0])
        for world in worlds:
            if world in changed:
                self._worlds.replace(world, changed[world])
                self._start[world] = changed[world].checkpoint()
                self._scene_values[world] = {**self._scene_values[world], **own[world]}
                self._limits[world] = TargetLimits(changed[world].scene.axis_values)
            else:
                self._worlds.restore(world, self._start[world])
            self._drives[world] = None
        self._draw(worlds, new_seed)
        self._rows.expire(worlds)
        self._rows.adopt(changed)
        self._nearest = min(limits.nearest for limits in self._limits)

    def _masked(self, mask: ArrayLike | None) -> list[int]:
        if mask is None:
            return list(range(self.n))
        flags = np.asarray(mask)
        if flags.dtype != np.bool_ or flags.shape != (self.n,):
            raise UsageError(
                f"mask must be an array of {self.n} bools, one for each world "
                f"(got {flags.dtype} of shape {flags.shape})."
            )
        return np.flatnonzero(flags).tolist()

    def save(self) -> BatchCheckpoint:
        """Return the states of all worlds, for `restore`."""
        states = tuple(self._worlds.checkpoint(world) for world in range(self.n))
        return BatchCheckpoint(
            self.scenes,
            states,
            self.failed,
            tuple(
                None if drive is None else (id(drive), drive.checkpoint()) for drive in self._drives
            ),
            tuple((state, self._rows.interval(world)) for world, state in enumerate(states)),
        )

    def restore(self, saved: BatchCheckpoint) -> None:
        """Restore states that `save` returned, bit for bit.

        Raises `UsageError` if the scenes or the number of worlds differ from those of this batch.
        """
        if not isinstance(saved, BatchCheckpoint):
            raise wrong_kind("saved", "a checkpoint from Batch.save", saved)
        if len(saved.states) != self.n:
            raise UsageError(
                f"The checkpoint has {len(saved.states)} worlds, but this batch has {self.n}. "
                "Restore it in a batch of the same size."
            )
        for world, (scene, own) in enumerate(zip(saved.scenes, self.scenes, strict=True)):
            if scene != own:
                raise UsageError(
                    f"World {world} had different scene values when it was saved. Reset it with those values first."
                )
        drives: dict[int, ReferenceFeed] = {}
        for world, (state, control) in enumerate(zip(saved.states, saved.control, strict=True)):
            self._worlds.restore(world, state, saved.failed.get(world, ""))
            self._drives[world] = None
            if control is not None:
                key, state_of_control = control
                if key not in drives:
                    drives[key] = self._make_drive(saved.scenes[world])
                    drives[key].restore(state_of_control)
                self._drives[world] = drives[key]
        self._rows.expire(range(self.n))
        for world, (state, interval) in enumerate(saved.intervals):
            if state is saved.states[world]:  # and was not replaced by one of another simulation
                self._rows.continue_interval(world, interval)


def _check_memory(engine: Engine, n: int) -> None:
    """Raise `UsageError` if there is not enough memory for `n` worlds like this one."""
    available = available_bytes()
    if available is None:
        return
    # includes one saved state
    each = WORLD_BYTES + 4 * _array_bytes(tuple(vars(engine).values())) // 3
    if n * each > available:
        raise UsageError(
            f"{n} worlds of this scene need about {_size(n * each)}, but only {_size(available)} of "
            "memory is available. "
            f"Open at most {max(1, available // each)} worlds."
        )


def _array_bytes(value: Any) -> int:
    """Return the size of all arrays in nested tuples, bytes."""
    if isinstance(value, tuple):
        return sum(_array_bytes(part) for part in value)
    return int(value.nbytes) if isinstance(value, np.ndarray) else 0


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.3g} MB"


_SHARED: tuple[tuple[str, str, Callable[[Engine], Any]], ...] = (
    ("model", "model.kind", lambda engine: engine.scene.model.kind),
    ("time step", "solver.step_s", lambda engine: engine.scene.solver.step_s),
    ("number of links", "the robot", lambda engine: engine.schema.n_links),
    ("set of joint axes", "the robot", lambda engine: engine.schema.axes),
    ("set of energies", "the kind of joints", lambda engine: engine.schema.energy),
)
"""Properties that must be equal in all worlds of a batch: name, cause and value."""


def _check_alike(engines: Mapping[int, Engine], like: Engine) -> None:
    """Raise `SceneError` unless the worlds have the same model, body and time step as `like`."""
    for world, engine in engines.items():
        for name, cause, trait in _SHARED:
            if trait(engine) != trait(like):
                raise SceneError(
                    f"World {world} has a different {name} from the others. A call takes the same number of "
                    f"equal steps in all worlds: keep {cause} the same, or open one batch for each."
                )
