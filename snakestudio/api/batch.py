"""Many simulations of one scene at a time, stepped by one call: `open_batch`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from snakestudio._arrays import FloatArray, IntArray
from snakestudio.api.batch_scenes import Values, build_world, values_by_world
from snakestudio.api.plugins import load_plugins
from snakestudio.api.running import Run, prepare
from snakestudio.control import registry as controllers
from snakestudio.engines.base import Checkpoint, Engine
from snakestudio.errors import SceneError, UsageError
from snakestudio.heap import available_bytes
from snakestudio.model.arguments import is_number, wrong_kind
from snakestudio.model.reference import Reference
from snakestudio.model.robot.pose import initial_joint_angles
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.session.reference_feed import ReferenceFeed
from snakestudio.session.worlds import Worlds

WORLD_BYTES = 60_000
"""What a world takes beside its arrays, bytes: its scene, engine and row in the table of
addresses."""

MOST_STEPS = 10**9
"""Steps that one call may take."""


def open_batch(
    scene: Scene | Run | str | Path,
    n: int,
    *,
    threads: int | None = None,
    values: Values = None,
    seed: int | None = None,
    plugins: Sequence[str | Path] = (),
) -> Batch:
    """Open `n` simulations (worlds) of a scene that are stepped together, by compiled code in several threads.

    Raises `PluginError` if a plug-in cannot be loaded. Raises `SceneError` if a world cannot run as
    it stands; names the world and what is wrong. Raises `UsageError` if an argument makes no sense,
    or there is not enough memory.

    Parameters
    ----------
    n : int
        How many.
    threads : int, optional
        Threads that step them; as many as there are processors if left out.
    values : mapping or list of mappings, optional
        What differs between the worlds: for dotted scene keys a list or array of `n` values each
        (or one value for all worlds), or a list of `n` mappings. Robot, model and time step must be
        the same in all.
    seed : int, optional
        Seed of the worlds' random generators, `Batch.random`.
    plugins : sequence of path or str
        Plug-ins to load first, as in `simulate`.

    Examples
    --------
    >>> with ss.open_batch(
    ...     "scenes/sidewinding.toml", 64, values={"ground.mu_along": np.linspace(0.1, 0.5, 64)}
    ... ) as batch:
    ...     batch.step(n=4000)
    ...     print(batch.state.com[:, 0])
    """
    if not is_number(n, Integral) or n < 1:
        raise UsageError(f"n must be a whole number of worlds, at least 1 (got {n!r}).")
    if threads is not None and (not is_number(threads, Integral) or threads < 1):
        raise UsageError(
            f"threads must be a whole number, at least 1 (got {threads!r}). Leave it out to use all."
        )
    _check_seed(seed)
    load_plugins(plugins)
    prepared, base_dir, _ = prepare(scene)
    return Batch(prepared, base_dir, int(n), _threads(threads, int(n)), values, seed)


def _threads(threads: float | None, n: int) -> int:
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return min(processors if threads is None else int(threads), n)


def _check_seed(seed: object) -> None:
    if seed is not None and (not is_number(seed, Integral) or seed < 0):
        raise UsageError(f"seed must be a whole number, at least 0 (got {seed!r}).")


@dataclass(frozen=True, slots=True)
class BatchCheckpoint:
    """Everything that decides how the worlds of a batch continue; see `Batch.save`."""

    scenes: tuple[Scene, ...]
    states: tuple[Checkpoint, ...]
    failed: Mapping[int, str]
    control: tuple[Any, ...]


class Batch:
    """Simulations of one scene (worlds) that are stepped together; made by `open_batch`.

    Worlds are counted from 0. A world that fails stops there (`failed` says why) until it is reset;
    the others go on. One thread at a time may use a batch; it is a context manager, which ends its
    threads.
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
        first = build_world(scene, base_dir, {}, 0, n)
        _check_memory(first, n)
        own = values_by_world(values, n)
        engines = [
            build_world(scene, base_dir, mapping, world, n, checked=not mapping)
            if world or mapping
            else first
            for world, mapping in enumerate(own)
        ]
        _check_alike(dict(enumerate(engines)), first)
        self.n = n
        """How many worlds there are."""
        self.axes: tuple[str, ...] = tuple(axis.name for axis in first.schema.axes)
        """Names of the joint axes ("joint_3_pitch"), in the order of targets and of joint
        angles."""
        self.energies: tuple[str, ...] = tuple(first.schema.energy)
        """Names of the energies."""
        self.threads = threads
        """How many threads step the worlds."""
        self._worlds = Worlds(engines, threads)
        self._closed = False
        self._start = [engine.checkpoint() for engine in engines]
        self._drives: list[ReferenceFeed | None] = [None] * n
        self._seed(range(n), seed)
        self.state = BatchState(self)
        """The present states of all worlds."""

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
        """End the threads; the batch cannot be stepped any more."""
        self._closed = True
        self._worlds.close()

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("This batch is closed. Open another one.")

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """The scene of every world."""
        return tuple(engine.scene for engine in self._worlds.engines)

    @property
    def failed(self) -> dict[int, str]:
        """Worlds that have stopped, and why, in a sentence; each stands where its last good step ended."""
        return dict(sorted(self._worlds.failures.items()))

    @property
    def random(self) -> tuple[np.random.Generator, ...]:
        """A random generator for every world, from the seed; what is drawn for one does not depend on the others."""
        return tuple(self._random)

    def _seed(self, worlds: Iterable[int], seed: int | None) -> None:
        if not hasattr(self, "_random"):
            self._random = [np.random.default_rng() for _ in range(self.n)]
        if seed is not None:
            for world in worlds:
                self._random[world] = np.random.default_rng([seed, world])

    # ---------------------------------------------------------------------------------------- steps

    def step(
        self,
        targets: ArrayLike | None = None,
        n: int = 1,
        *,
        rates: ArrayLike | None = None,
        torques: ArrayLike | None = None,
    ) -> None:
        """Take `n` time steps in every world that has not failed.

        Raises `UsageError` if they have another shape or are not finite; no step is taken then.

        Parameters
        ----------
        targets : (n_worlds, m) array, optional
            Angles that the m joint axes hold, rad; (m,) for the same in all worlds. Without targets
            and torques every world follows the gait or controller of its scene.
        n : int
            Steps; many in one call take least time.
        rates : (n_worlds, m) array, optional
            Rates at which the targets move on from there, rad/s.
        torques : (n_worlds, m) array, optional
            Torques that the motors are given instead of targets, N m.
        """
        self._check_open()
        if not is_number(n, Integral) or not 0 <= n <= MOST_STEPS:
            raise UsageError(
                f"n must be a whole number of steps from 0 to {MOST_STEPS} (got {n!r})."
            )
        if targets is not None and torques is not None:
            raise UsageError("A step has targets or torques, not both. Leave one of them out.")
        if rates is not None and targets is None:
            raise UsageError("rates are those of targets. Give targets, too.")
        angle = None if targets is None else self._set_points("targets", targets)
        rate = None if rates is None else self._set_points("rates", rates)
        torque = None if torques is None else self._set_points("torques", torques)
        if torque is not None:
            self._check_torques()
        self.state.expire()
        if n == 0:
            return
        if angle is None and torque is None:
            self._drive(int(n))
            return
        for drive in self._drives:
            if drive is not None:
                drive.end = 0  # it has to be asked again
        self._worlds.hold(int(n), angle, rate, torque)

    def _set_points(self, name: str, given: ArrayLike) -> FloatArray:
        """Set-points of all joint axes of all worlds."""
        m = len(self.axes)
        if not m:
            raise UsageError(
                f"This body has no joints that {name} could move. Call step without {name}."
            )
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise wrong_kind(name, f"an array of numbers of shape ({self.n}, {m})", given) from None
        if values.shape not in ((self.n, m), (m,)):
            raise UsageError(
                f"{name} must have the shape ({self.n}, {m}), one row a world and one column a joint axis "
                f"(got {values.shape})."
            )
        wrong = np.argwhere(~np.isfinite(values))
        if len(wrong):
            at = ", ".join(map(str, wrong[0].tolist()))
            raise UsageError(f"{name}[{at}] is not a finite number. No step was taken.")
        return np.broadcast_to(values, (self.n, m))

    def _check_torques(self) -> None:
        for world, engine in enumerate(self._worlds.engines):
            scene = engine.scene
            if scene.solver.joints == "implicit" and not scene.gives_torques:
                raise UsageError(
                    f"World {world} has implicit joint controllers, which cannot be given torques. "
                    'Set solver.joints to "explicit".'
                )

    def _drive(self, n_steps: int) -> None:
        """Take steps under the references of the worlds' own controllers."""
        worlds = self._worlds
        self._make_drives(worlds.running().tolist())
        left = n_steps
        while left > 0 and len(running := worlds.running().tolist()):
            references: list[Reference | None] = [None] * self.n
            count = left
            for world in running:
                drive = self._drives[world]
                now = int(worlds.steps[world])
                assert drive is not None
                if not drive.covers(now):
                    contacts = Fields.CONTACTS in drive.controller.needs
                    drive.request(now, left, partial(worlds.snapshot, world, contacts))
                references[world] = drive.reference
                count = min(count, drive.end - now)
            worlds.follow(count, references)
            left -= count

    def _make_drive(self, scene: Scene) -> ReferenceFeed:
        """A scene's own control; worlds whose gaits are the same, and that began together, share one."""
        controller = controllers.create(scene, self._base_dir, checked=True)
        return ReferenceFeed(controller, scene)

    def _make_drives(self, running: list[int]) -> None:
        """Give every world that has none its own control; gaits that ask for the same are made once."""
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
        """Take worlds back to their start, those that have failed, too.

        Raises `SceneError` or `UsageError`: naming what is wrong; nothing is changed then.

        Parameters
        ----------
        mask : (n_worlds,) array of bool, optional
            Which; all if left out.
        seed : int, optional
            Starts their random generators again.
        values : optional
            Scene values that change, as for `open_batch`, with an entry for every world, reset or
            not.
        """
        _check_seed(seed)
        worlds = self._masked(mask)
        own = values_by_world(values, self.n)
        present = self._worlds.engines
        changed = {
            world: build_world(present[world].scene, self._base_dir, own[world], world, self.n)
            for world in worlds
            if own[world]
        }
        _check_alike(changed, present[0])
        for world in worlds:
            if world in changed:
                self._worlds.replace(world, changed[world])
                self._start[world] = changed[world].checkpoint()
            else:
                self._worlds.restore(world, self._start[world])
            self._drives[world] = None
        self._seed(worlds, seed)
        self.state.expire()
        self.state.weigh(changed)

    def _masked(self, mask: ArrayLike | None) -> list[int]:
        if mask is None:
            return list(range(self.n))
        given = np.asarray(mask)
        if given.dtype != np.bool_ or given.shape != (self.n,):
            raise UsageError(
                f"mask must be an array of {self.n} bools, one for each world "
                f"(got {given.dtype} of shape {given.shape})."
            )
        return np.flatnonzero(given).tolist()

    def save(self) -> BatchCheckpoint:
        """The states of all worlds, to be given to `restore`."""
        return BatchCheckpoint(
            self.scenes,
            tuple(self._worlds.checkpoint(world) for world in range(self.n)),
            self.failed,
            tuple(
                None if drive is None else (id(drive), drive.checkpoint()) for drive in self._drives
            ),
        )

    def restore(self, saved: BatchCheckpoint) -> None:
        """Go back to states that `save` gave, bit for bit.

        Raises `UsageError` if they are of another batch: of other scenes, or another number of
        worlds.
        """
        if not isinstance(saved, BatchCheckpoint):
            raise wrong_kind("saved", "what Batch.save gave", saved)
        if len(saved.states) != self.n:
            raise UsageError(
                f"What was saved has {len(saved.states)} worlds, and this batch has {self.n}."
            )
        for world, (scene, own) in enumerate(zip(saved.scenes, self.scenes, strict=True)):
            if scene != own:
                raise UsageError(
                    f"World {world} had other scene values when it was saved. Reset it with those values first."
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
        self.state.expire()


def _check_memory(engine: Engine, n: int) -> None:
    """See that there is memory for `n` worlds like this one."""
    available = available_bytes()
    if available is None:
        return
    # a state is saved, too
    each = WORLD_BYTES + 4 * _array_bytes(tuple(vars(engine).values())) // 3
    if n * each > available:
        raise UsageError(
            f"{n} worlds of this scene need about {_size(n * each)}, and {_size(available)} of memory are available. "
            f"Open at most {max(1, available // each)} worlds."
        )


def _array_bytes(value: Any) -> int:
    """Size of all arrays in tuples of them, bytes."""
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
"""What all worlds of a batch must have alike, what decides it, and how it is found."""


def _check_alike(engines: Mapping[int, Engine], like: Engine) -> None:
    """See that worlds have the model, body and time step of another."""
    for world, engine in engines.items():
        for name, cause, trait in _SHARED:
            if trait(engine) != trait(like):
                raise SceneError(
                    f"World {world} has another {name} than the scene. Keep {cause} the same in all worlds of a batch."
                )


class BatchState:
    """The present states of all worlds of a batch, as arrays with the world as the first index.

    They are computed when they are read, and are views of the batch's own memory: what is read
    after the next step fills them again. Copy what has to last. Frame and order of links and axes
    are those of the scene.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._worlds = batch._worlds
        self._rows: Any = None
        self._shares: FloatArray = np.empty((batch.n, self._worlds.engines[0].schema.n_links))
        self.weigh(range(batch.n))

    def weigh(self, worlds: Iterable[int]) -> None:
        """Take notice of the masses of the links of some worlds."""
        for world in worlds:
            self._shares[world] = self._worlds.engines[world].schema.mass_shares

    def expire(self) -> None:
        """Have the states computed again when they are read next."""
        self._rows = None

    def _field(self, name: str) -> NDArray[Any]:
        if self._rows is None:
            self._rows = self._worlds.write_rows()
        view: NDArray[Any] = getattr(self._rows, name).view()
        view.flags.writeable = False
        return view

    def _over_mass(self, values: FloatArray) -> FloatArray:
        """Mean over the mass of the first three values of every link."""
        mean: FloatArray = np.einsum("kl,klx->kx", self._shares, values[:, :, :3])
        return mean

    @property
    def time(self) -> FloatArray:
        """(n,) simulated time of every world, s."""
        return np.asarray(
            self._worlds.steps * self._worlds.engines[0].scene.solver.step_s, np.float64
        )

    @property
    def step_count(self) -> IntArray:
        """(n,) steps that every world has taken."""
        return self._worlds.steps.copy()

    @property
    def ok(self) -> NDArray[np.bool_]:
        """(n,) whether a world has not failed."""
        ok = np.ones(self._batch.n, np.bool_)
        ok[list(self._worlds.failures)] = False
        return ok

    @property
    def link_pose(self) -> FloatArray:
        """(n, n_links, 7) centre of gravity, m, and unit quaternion w x y z of every link (or cross-section)."""
        return self._field("link_pose")

    @property
    def link_twist(self) -> FloatArray:
        """(n, n_links, 6) velocity, m/s, and angular velocity, rad/s, in the world's frame."""
        return self._field("link_twist")

    @property
    def joint_angle(self) -> FloatArray:
        """(n, m) angles of the joint axes, rad."""
        return self._field("joint_angle")

    @property
    def joint_rate(self) -> FloatArray:
        """(n, m) rates of the joint axes, rad/s."""
        return self._field("joint_rate")

    @property
    def joint_torque(self) -> FloatArray:
        """(n, m) mean torques of the motors over the last step, N m; positive raises the angle."""
        return self._field("joint_torque")

    @property
    def com(self) -> FloatArray:
        """(n, 3) centre of mass of the robot, m."""
        return self._over_mass(self.link_pose)

    @property
    def com_velocity(self) -> FloatArray:
        """(n, 3) velocity of the centre of mass, m/s."""
        return self._over_mass(self.link_twist)

    @property
    def energy(self) -> dict[str, FloatArray]:
        """(n,) each: energies and works since the start, by their names, J."""
        table = self._field("energy")
        return {name: table[:, column] for column, name in enumerate(self._batch.energies)}

    @property
    def impulse_ground(self) -> FloatArray:
        """(n, n_links, 3) impulses of the ground on every link since the start, N s."""
        return self._field("impulse_ground")

    @property
    def impulse_obstacle(self) -> FloatArray:
        """(n, n_links, 3) impulses of all obstacles on every link since the start, N s."""
        return self._field("impulse_obstacle")

    @property
    def contacts_closed(self) -> NDArray[np.int32]:
        """(n,) contacts that were closed in the last step."""
        return self._field("contacts_closed")

    @property
    def unconverged(self) -> IntArray:
        """(n,) steps since the start whose residual was above 1e-8."""
        return self._field("unconverged")
