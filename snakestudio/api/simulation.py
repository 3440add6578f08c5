"""A simulation that a Python program steps: targets in, state out, forth and back in time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from snakestudio._arrays import FloatArray, UInt8Array
from snakestudio.api.plugins import load_plugins
from snakestudio.api.running import Run, prepare, scene_name
from snakestudio.errors import ExportError, UsageError
from snakestudio.export.files import writable
from snakestudio.model.arguments import is_number, path_of, values_of, wrong_kind
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Snapshot, SolverStats
from snakestudio.session.stepper import Stepper, StepState
from snakestudio.text import listing

if TYPE_CHECKING:
    from snakestudio.drawing.camera import Camera
    from snakestudio.render.offscreen import OffscreenRenderer

_SEEDS = 1 << 31
_VIEWED = 0.7
"""Half the side of the square around the robot that pictures show, as a share of its length."""


class State:
    """The present state of a simulation, by the names that a `Snapshot` has.

    Values are computed when they are read. Arrays are views that the first look after another step
    fills again; `copy` gives a `Snapshot` that stays as it is.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def _present(self) -> Snapshot:
        stepper: Stepper = self._simulation._stepper
        return stepper.steps.present()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._simulation.time

    @property
    def link_pose(self) -> FloatArray:
        """Centre of gravity (m) and unit quaternion w x y z of every link, world frame, (n, 7)."""
        return self._present().link_pose

    @property
    def link_twist(self) -> FloatArray:
        """Velocity of the centre of gravity (m/s) and angular velocity (rad/s) of every link, world frame, (n, 6)."""
        return self._present().link_twist

    @property
    def joint_angle(self) -> FloatArray:
        """Angles of the joint axes, (m,), rad."""
        return self._present().joint_angle

    @property
    def joint_rate(self) -> FloatArray:
        """Rates of the joint axes, (m,), rad/s."""
        return self._present().joint_rate

    @property
    def joint_angle_ref(self) -> FloatArray:
        """Angles that the joint axes are asked for, (m,), rad; NaN while torques are given."""
        return self._present().joint_angle_ref

    @property
    def joint_rate_ref(self) -> FloatArray:
        """Rates that the joint axes are asked for, (m,), rad/s; NaN while torques are given."""
        return self._present().joint_rate_ref

    @property
    def joint_torque(self) -> FloatArray:
        """Torques of the motors in the last time step, (m,), N m; positive raises the angle."""
        return self._present().joint_torque

    @property
    def contacts(self) -> Contacts:
        """Contacts that carried load in the last call of `Simulation.step`; forces (N) are means over it.

        Under the scene's own closed-loop controller they are means over its control period so far.
        """
        return self._present().contacts

    @property
    def energy(self) -> dict[str, float]:
        """Kinetic and potential energy and the works since the start, by name, J."""
        return self._present().energy

    @property
    def solver(self) -> SolverStats:
        """How well the contact problems of the last call of `Simulation.step` were solved."""
        return self._present().solver

    @property
    def centre_of_mass(self) -> FloatArray:
        """Centre of mass of the robot, world frame, (3,), m; an array of its own."""
        centre: FloatArray = self._simulation._shares @ self._present().link_pose[:, :3]
        return centre

    def copy(self) -> Snapshot:
        """The state as it is now, with arrays of its own."""
        return self._simulation._stepper.engine.snapshot()

    def __repr__(self) -> str:
        return f"<State of {self._simulation!r}>"


@dataclass(frozen=True, slots=True)
class SavedState:
    """All that decides how a simulation continues; it can be pickled."""

    state: StepState
    random: dict[str, Any]
    """State of `Simulation.rng`."""

    @property
    def time(self) -> float:
        """Simulated time at which it was saved, s."""
        return self.state.engine.time

    def __repr__(self) -> str:
        return f"<SavedState at {self.time:g} s>"


class Simulation:
    """A scene that is advanced step by step; made by `open_simulation`.

    Attributes
    ----------
    rng : numpy.random.Generator
        For the random numbers of the program that steps it; `reset(seed=...)` seeds it, `save` and
        `restore` include it.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None = None,
        scene_file: str | None = None,
        seed: int | None = None,
    ) -> None:
        self._opened = scene
        self._base_dir = base_dir
        self._scene_file = scene_file
        self._closed = False
        self._renderer: OffscreenRenderer | None = None
        self._export: Path | None = None  # what is written of the recording in the end
        self._seeds: dict[str, int] = {}
        self._state = State(self)
        if seed is not None:
            self._seeds = _drawn_seeds(scene, _seed_of(seed))
            scene = with_values(scene, dict(self._seeds)) if self._seeds else scene
        self.rng = np.random.default_rng(seed)
        self._stepper = Stepper(scene, base_dir)
        self._on_built()

    def _on_built(self) -> None:
        scene = self.scene
        stepper = self._stepper
        self._axes = tuple(axis.name for axis in scene.body.axes)
        self._shape = (len(self._axes),)
        self._jointed = scene.body.jointed
        self._gives_torques = scene.gives_torques
        self._shares = stepper.engine.schema.mass_shares

    # ----------------------------------------------------------------------------------- what it is

    @property
    def scene(self) -> Scene:
        """The scene as it is simulated."""
        return self._stepper.scene

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the m joint axes, in the order of targets and joint values."""
        return self._axes

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._stepper.engine.time

    @property
    def dt(self) -> float:
        """Time step, s."""
        return self.scene.solver.step_s

    @property
    def period_steps(self) -> int:
        """Time steps in a control period of the scene."""
        return self.scene.steps_per_period

    @property
    def state(self) -> State:
        """The present state: always the same object, which shows the state of the moment at which it is read."""
        self._check_open()
        return self._state

    def __repr__(self) -> str:
        what = self._scene_file or self.scene.title or "a scene"
        return f"<Simulation of {what}: {'closed' if self._closed else f'{self.time:g} s'}>"

    # ------------------------------------------------------------------------------------- stepping

    def step(
        self,
        targets: ArrayLike | None = None,
        *,
        rates: ArrayLike | None = None,
        torques: ArrayLike | None = None,
        n: int = 1,
    ) -> None:
        """Take `n` time steps.

        The references of the joint controllers jump to `targets` when the call begins, are held
        until it ends, and their rates are 0; or else, with `rates`, they move on from `targets` at
        these rates. Free play, limits of torque and lags of the scene's motors act as in any run;
        limits of speed (`actuator.max_speed_deg_s`), which belong to controllers, do not. A run
        whose controller asks for the same values takes the same steps, bit for bit, and so do n
        calls for one step each, under `targets` alone or `torques`.

        Raises `UsageError` if an argument cannot be used; nothing has changed then. Raises
        `PhysicsError` if a step fails, with the time and the reason; the state is that before this
        step.

        Parameters
        ----------
        targets : (m,) array, optional
            Angles of the joint axes (`axes`), rad.
        rates : (m,) array, optional
            Their rates, rad/s.
        torques : (m,) array, optional
            Torques given to the motors in place of what their joint controllers would ask for, N m,
            held.
        n : int
            Without targets and torques, the gait or the controller of the scene drives, as in a
            run.
        """
        if self._closed:
            self._check_open()
        if type(n) is not int or n < 1:
            n = _count("n", n)
        if targets is not None and torques is None:
            if not self._jointed or self._gives_torques:
                self._check_targets()
            self._stepper.hold(
                self._values("targets", targets),
                None if rates is None else self._values("rates", rates),
                n,
            )
        elif torques is not None:
            if targets is not None or rates is not None:
                raise UsageError(
                    "A step is under targets or under torques, not both. Give one of them."
                )
            if not self._jointed:
                self._check_targets()
            self._stepper.give(self._values("torques", torques), n)
        elif rates is not None:
            raise UsageError("rates without targets say nothing. Give targets, too.")
        else:
            self._stepper.drive(n)

    def _values(self, name: str, given: ArrayLike) -> FloatArray:
        """An argument with a value for each axis."""
        if type(given) is np.ndarray and given.dtype == np.float64 and given.shape == self._shape:
            values: FloatArray = given
        else:
            try:
                values = np.asarray(given)
                usable = values.dtype.kind in "iuf"
            except (TypeError, ValueError):
                usable = False
            if not usable:
                raise wrong_kind(name, "an array of numbers", given)
            if values.shape != self._shape:
                raise UsageError(
                    f"{name} must have the shape {self._shape}, a value for each of {_listed(self._axes)} "
                    f"(got {values.shape})."
                )
            values = values.astype(np.float64)
        if not math.isfinite(values.dot(values)) and not np.isfinite(values).all():
            axis = int(np.flatnonzero(~np.isfinite(values))[0])
            raise UsageError(
                f"{name}[{axis}] ({self._axes[axis]}) must be a finite number (got {values[axis]:g})."
            )
        return values

    def _check_targets(self) -> None:
        """Raise what keeps the robot from following targets."""
        if not self._jointed:
            raise UsageError(
                "This robot is a continuous body without joints. Call step() without targets: its strain law drives it."
            )
        raise UsageError(
            'The joints of this scene follow torques. Give torques, or choose another kind for "gait".'
        )

    def apply_wrench(
        self, link: int, force: ArrayLike = (0.0, 0.0, 0.0), torque: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        """Let a force and a torque act on a link until they are changed; they replace those that acted on it.

        Raises `UsageError` if an argument cannot be used; nothing has changed then.

        Parameters
        ----------
        link : int
            0-based; -1 is the last one.
        force : (3,) array
            At the link's centre of gravity, world frame, N.
        torque : (3,) array
            World frame, N m. A robot that moves in the plane feels the forces in it and the torque
            about the vertical.
        """
        self._check_open()
        count = self._stepper.engine.schema.n_links
        if not is_number(link, Integral):
            raise wrong_kind("link", "a whole number", link)
        if not -count <= link < count:
            raise UsageError(f"link must be from 0 to {count - 1} (got {link}).")
        x, y, z = _vector("force", force)
        self._stepper.apply_wrench(int(link) % count, (x, y, z), _vector("torque", torque))

    # ----------------------------------------------------------------------------------- going back

    def reset(self, seed: int | None = None, values: Mapping[str, Any] | None = None) -> None:
        """Go back to the start. A recording ends.

        Raises `UsageError` or `SceneError` if they cannot be used; the simulation stays where it
        is.

        Parameters
        ----------
        seed : int, optional
            Seeds `rng`, and draws new seeds for whatever is random in the scene: fields of rubble
            and the force noise of a controller. Without it, both stay as they are.
        values : mapping, optional
            Values that replace those of the scene as it was opened, by dotted key; they win over
            what `seed` draws.
        """
        self._check_open()
        changes = values_of("values", values)
        seeds = self._seeds
        if seed is not None:
            seeds = _drawn_seeds(self._opened, _seed_of(seed))
        changes = {**seeds, **changes}
        scene = with_values(self._opened, changes) if changes else self._opened
        self._restart(scene if scene != self.scene else self.scene)
        self._seeds = seeds
        if seed is not None:
            self.rng = np.random.default_rng(seed)

    def _restart(self, scene: Scene) -> None:
        self._end_recording()
        self._stepper.restart(scene)
        self._on_built()

    def save(self) -> SavedState:
        """The full state. It can be pickled; `restore` continues from it bit for bit."""
        self._check_open()
        return SavedState(self._stepper.save(), dict(self.rng.bit_generator.state))

    def restore(self, state: SavedState) -> None:
        """Go back (or ahead) to a saved state of this simulation or another one. A recording ends.

        Raises `UsageError` or `StateError` if it cannot be used; the simulation stays where it is.
        """
        self._check_open()
        if not isinstance(state, SavedState):
            raise wrong_kind("state", "what save() has returned", state)
        self._end_recording()
        self._stepper.restore(state.state)
        self._on_built()
        self.rng.bit_generator.state = state.random

    # --------------------------------------------------------------------------- pictures and files

    def render(
        self, width: int = 640, height: int = 480, camera: Camera | str | None = None
    ) -> UInt8Array:
        """A picture of the present state, (height, width, 3) uint8, row 0 on top; needs no screen.

        Raises `UsageError` if an argument cannot be used. Raises `GraphicsError` if this machine
        cannot draw.

        Parameters
        ----------
        width, height : int
            Pixels.
        camera : Camera or str, optional
            Where the picture is taken from, or the name of a view around the robot: "perspective"
            (if left out), "top", "front", "right", "isometric".
        """
        self._check_open()
        size = _count("width", width), _count("height", height)
        shot = self._camera(camera, size[0] / size[1])
        from snakestudio.render.offscreen import OffscreenRenderer

        renderer = self._renderer
        if renderer is None or (renderer.width, renderer.height) != size:
            if renderer is not None:
                renderer.close()
                self._renderer = None
            self._renderer = renderer = OffscreenRenderer(*size)
        return renderer.frame(self.scene, self._state.copy(), camera=shot, base_dir=self._base_dir)

    def _camera(self, given: Camera | str | None, aspect: float) -> Camera:
        from snakestudio.drawing.camera import STANDARD_VIEWS, Camera

        if isinstance(given, Camera):
            return given
        name = "perspective" if given is None else given
        if not isinstance(name, str):
            raise wrong_kind("camera", "a Camera or the name of a view", given)
        if name not in STANDARD_VIEWS:
            raise UsageError(
                f'There is no view "{name}". Choose {_listed(tuple(STANDARD_VIEWS), "or")}.'
            )
        azimuth, elevation, parallel = STANDARD_VIEWS[name]
        camera = Camera(
            azimuth=math.radians(azimuth), elevation=math.radians(elevation), orthographic=parallel
        )
        centre = self._state.centre_of_mass
        reach = _VIEWED * self.scene.body.length
        low = centre - reach
        high = centre + reach
        return camera.frame((low[0], low[1], 0.0), (high[0], high[1], max(0.0, centre[2])), aspect)

    def record(self, path: str | Path | None = None) -> None:
        """Record from now on, at the log rate of the scene, until `stop_recording`, `reset`, `restore` or `close`.

        The first row is the present state. Times, works and impulses are those since the start of
        the simulation.

        Raises `UsageError` or `ExportError` if the file cannot be written, or if the simulation is
        being recorded.

        Parameters
        ----------
        path : str or Path, optional
            A run file (.mcap), which is written while the simulation goes, or .csv or .h5, which
            are written in the end. Without it, the recording is there for `run` alone.
        """
        self._check_open()
        if self._stepper.recording is not None:
            raise UsageError(
                "The simulation is being recorded. Call stop_recording() before another recording."
            )
        target = None if path is None else _recorded_to(path)
        run_file = target is not None and target.suffix.lower() == ".mcap"
        self._stepper.record(target if run_file else None, self._scene_file or "")
        self._export = None if run_file else target

    @property
    def run(self) -> Run:
        """What has been recorded so far, since `record` was called.

        Raises `UsageError` if nothing is recorded.
        """
        self._check_open()
        recording = self._stepper.recording
        if recording is None:
            raise UsageError("Nothing is recorded. Call record() first.")
        recording.flush()
        return Run(recording.recording, self._scene_file, base_dir=self._base_dir)

    def stop_recording(self) -> None:
        """End the recording with the present state; without one nothing happens.

        Raises `ExportError` if the file could not be written to its end.
        """
        self._check_open()
        self._end_recording()

    def _end_recording(self) -> None:
        """End the recording, and write the file that is written in the end."""
        recording = self._stepper.recording
        target = self._export
        self._export = None
        self._stepper.stop_recording()
        if recording is None:
            return
        if recording.recording.path is not None and recording.recording.trouble_at_end:
            raise ExportError(recording.recording.trouble_at_end)
        if target is not None:
            run = Run(recording.recording, self._scene_file, base_dir=self._base_dir)
            if target.suffix.lower() == ".csv":
                run.to_csv(target)
            else:
                run.to_hdf5(target)

    # ------------------------------------------------------------------------------------------ end

    def close(self) -> None:
        """End the recording and give back what drawing holds; more than once does no harm."""
        if self._closed:
            return
        self._closed = True
        try:
            self._end_recording()
        finally:
            if self._renderer is not None:
                self._renderer.close()
                self._renderer = None

    def _check_open(self) -> None:
        if self._closed:
            raise UsageError("This simulation is closed. Open another one with open_simulation().")

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_simulation(
    scene: Scene | Run | str | Path,
    values: Mapping[str, Any] | None = None,
    seed: int | None = None,
    plugins: Sequence[str | Path] = (),
) -> Simulation:
    """Open a scene to be stepped by this program.

    >>> with ss.open_simulation("scenes/sidewinding.toml") as sim:
    ...     for _ in range(100):
    ...         sim.step(0.3 * np.sin(sim.time + np.arange(len(sim.axes))), n=sim.period_steps)
    ...     print(sim.state.centre_of_mass)

    Raises `SceneError`, `RunFileError`, `PluginError` or `UsageError`: naming what is wrong.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, or what was run there.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"ground.mu_along": 0.3}``.
    seed : int, optional
        See `Simulation.reset`.
    plugins : sequence of path or str
        Plug-ins to load first, as in `simulate`.

    Returns
    -------
    Simulation
        At the start of the scene; close it, or use it in a `with` statement.
    """
    load_plugins(plugins)
    prepared, base_dir, _ = prepare(scene, values=values)
    return Simulation(prepared, base_dir, scene_name(scene), seed)


def _count(name: str, given: object) -> int:
    """An argument that counts something."""
    if not is_number(given, Integral):
        raise wrong_kind(name, "a whole number", given)
    if given < 1:
        raise UsageError(f"{name} must be at least 1 (got {given}).")
    return int(given)


def _seed_of(given: object) -> int:
    if not is_number(given, Integral):
        raise wrong_kind("seed", "a whole number", given)
    if given < 0:
        raise UsageError(f"seed must not be negative (got {given}).")
    return int(given)


def _vector(name: str, given: ArrayLike) -> tuple[float, float, float]:
    try:
        values = np.asarray(given)
        usable = values.dtype.kind in "iuf" and values.shape == (3,)
    except (TypeError, ValueError):
        usable = False
    if not usable:
        raise UsageError(f"{name} must be three numbers, along x, y and z.")
    if not np.isfinite(values).all():
        raise UsageError(f"{name} must be finite numbers (got {values.tolist()}).")
    x, y, z = map(float, values)
    return x, y, z


def _listed(names: tuple[str, ...], conjunction: Literal["and", "or"] = "and") -> str:
    """Names in a sentence; of many the first and the last."""
    if len(names) > 6:
        return f"{len(names)} axes from {names[0]} to {names[-1]}"
    return listing(names, conjunction)


def _drawn_seeds(scene: Scene, seed: int) -> dict[str, int]:
    """New seeds of what is random in a scene, by dotted key."""
    random = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    keys = [
        f"obstacles[{k}].seed"
        for k, obstacle in enumerate(scene.obstacles, start=1)
        if hasattr(obstacle, "seed")
    ]
    keys += ["controller.noise_seed"] if hasattr(scene.controller, "noise_seed") else []
    return {key: int(random.integers(_SEEDS)) for key in keys}


def _recorded_to(path: object) -> Path:
    """The file that a simulation is to be recorded to, which can be written."""
    target = path_of("path", path)
    if target.suffix.lower() not in (".mcap", ".csv", ".h5", ".hdf5"):
        raise UsageError(
            f"{target}: the format is not known. Give a name that ends in .mcap, .csv or .h5."
        )
    writable(target)
    return target
