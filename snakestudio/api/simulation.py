"""Simulation that a Python program steps, with targets as input and the state as output."""

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
from snakestudio.api.seeds import seed_of, with_drawn_seeds
from snakestudio.errors import ExportError, UsageError
from snakestudio.export.files import writable
from snakestudio.export.formats import format_of
from snakestudio.model.arguments import is_number, path_of, values_of, wrong_kind
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Contacts, Snapshot, SolverStats
from snakestudio.model.target_limits import TargetLimits, beyond_text
from snakestudio.session.stepper import Stepper, StepState
from snakestudio.text import listing

if TYPE_CHECKING:
    from snakestudio.drawing.camera import Camera
    from snakestudio.render.offscreen import OffscreenRenderer

_VIEWED = 0.7
"""Half the side of the square around the robot that images show, as a fraction of its length."""


class State:
    """Current state of a simulation, with the attributes of a `Snapshot`.

    Values are computed when they are read. Arrays are read-only views that the first read after the
    next step overwrites; `copy` returns a `Snapshot` that does not change.
    """

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = (
            stepper  # a reference to the simulation would make both wait for the garbage collector
        )

    def _present(self) -> Snapshot:
        return self._stepper.present()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._stepper.time

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
        """Reference angles of the joint axes, (m,), rad; NaN under torques."""
        return _read_only(self._present().joint_angle_ref)

    @property
    def joint_rate_ref(self) -> FloatArray:
        """Reference rates of the joint axes, (m,), rad/s; NaN under torques."""
        return _read_only(self._present().joint_rate_ref)

    @property
    def joint_torque(self) -> FloatArray:
        """Motor torques in the last time step, (m,), N m; positive torque increases the angle."""
        return self._present().joint_torque

    @property
    def contacts(self) -> Contacts:
        """Contacts that carried load in the last call of `Simulation.step`; forces (N) are means over the call.

        Under the closed-loop controller of the scene they are means over its current
        control period.
        """
        contacts = self._present().contacts
        for part in (contacts.link, contacts.other, contacts.point, contacts.state):
            part.flags.writeable = False
        contacts.force_normal.flags.writeable = contacts.force_friction.flags.writeable = False
        return contacts

    @property
    def energy(self) -> dict[str, float]:
        """Kinetic and potential energy, and works since the start, by name, J."""
        return self._present().energy

    @property
    def solver(self) -> SolverStats:
        """Accuracy of the contact solver in the last call of `Simulation.step`."""
        return self._present().solver

    @property
    def centre_of_mass(self) -> FloatArray:
        """Centre of mass of the robot, world frame, (3,), m; a new array."""
        return self._present().centre_of_mass

    @property
    def centre_of_mass_velocity(self) -> FloatArray:
        """Velocity of the centre of mass, world frame, (3,), m/s; a new array."""
        return self._present().centre_of_mass_velocity

    @property
    def head(self) -> int:
        """0-based index of the head link."""
        return self._present().head

    @property
    def turn_sign(self) -> float:
        """Sign of the yaw angles of joints that bend the front of the body to the left, 1 or -1."""
        return self._present().turn_sign

    @property
    def forward(self) -> FloatArray:
        """Direction from tail to head: mean of those of the links, world frame, (3,) unit vector.

        NaN if the mean is 0, as for links that form a closed ring.
        """
        return self._present().forward

    @property
    def heading(self) -> float:
        """Heading of the robot: angle of `forward` about z from the x axis, rad in (-pi, pi]."""
        return self._present().heading

    @property
    def head_heading(self) -> float:
        """Heading of the head link, rad in (-pi, pi]."""
        return self._present().head_heading

    @property
    def link_heading(self) -> FloatArray:
        """Heading of each link's direction towards the head, (n,), rad in (-pi, pi]."""
        return self._present().link_heading

    @property
    def link_yaw(self) -> FloatArray:
        """Heading of each link's x axis, which points to the next link, (n,), rad in (-pi, pi]."""
        return self._present().link_yaw

    @property
    def link_obstacle_force(self) -> FloatArray:
        """Mean force of the obstacles on each link, (n, 3), N, over the interval of `contacts`.

        Components along the link (forward), across it (to its left), and up.
        """
        return self._present().link_obstacle_force

    @property
    def link_ground_force(self) -> FloatArray:
        """Mean force of the ground on each link, (n, 3), N; as `link_obstacle_force`."""
        return self._present().link_ground_force

    def copy(self) -> Snapshot:
        """Return the current state with its own arrays."""
        return self._stepper.engine.snapshot()

    def __repr__(self) -> str:
        return f"<State at {self.time:g} s>"


@dataclass(frozen=True, slots=True)
class SavedState:
    """Full state of a simulation; it can be pickled."""

    state: StepState
    """State of simulation and controller."""

    random: dict[str, Any]
    """State of `Simulation.rng`."""

    @property
    def time(self) -> float:
        """Simulated time of the state, s."""
        return self.state.engine.time

    def __repr__(self) -> str:
        return f"<SavedState at {self.time:g} s>"


class Simulation:
    """Scene that is advanced step by step; created by `open_simulation`.

    Attributes
    ----------
    rng : numpy.random.Generator
        Random generator for the calling program; `reset(seed=...)` seeds it, and `save` and
        `restore`
        include it.
    """

    def __init__(
        self,
        scene: Scene,
        base_dir: Path | None = None,
        scene_file: str | None = None,
        seed: int | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        self._opened = scene
        self._values_given = dict(values or {})
        self._base_dir = base_dir
        self._scene_file = scene_file
        self._closed = False
        self._renderer: OffscreenRenderer | None = None
        self._export: Path | None = None  # file to export the recording to at its end
        self._seed = None if seed is None else seed_of(seed)
        scene = self._seeded(scene, self._seed, {})
        self.rng = np.random.default_rng(self._seed)
        self._stepper = Stepper(scene, base_dir)
        self._state = State(self._stepper)
        self._on_built()

    def _on_built(self) -> None:
        scene = self.scene
        self._axes = tuple(axis.name for axis in scene.body.axes)
        self._shape = (len(self._axes),)
        self._jointed = scene.body.jointed
        self._gives_torques = scene.gives_torques
        self._target_limits = TargetLimits(scene.axis_values)
        self._safe_square = self._target_limits.nearest**2

    # ---------------------------------------------------------------------------------- properties

    @property
    def scene(self) -> Scene:
        """Scene that is simulated."""
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
        """Number of time steps per control period of the scene."""
        return self.scene.steps_per_period

    @property
    def seed(self) -> int | None:
        """Seed of `rng` and of the random parts of the scene; None if none was given."""
        return self._seed

    @property
    def state(self) -> State:
        """Current state: always the same object, whose attributes have the values at the time of reading."""
        self._check_open()
        return self._state

    def __repr__(self) -> str:
        what = self._scene_file or self.scene.title or "a scene"
        return f"<Simulation of {what}: {'closed' if self._closed else f'{self.time:g} s'}>"

    # ------------------------------------------------------------------------------------- stepping

    def step(
        self,
        targets: ArrayLike | None = None,
        n: int = 1,
        *,
        rates: ArrayLike | None = None,
        torques: ArrayLike | None = None,
    ) -> None:
        """Advance by `n` time steps.

        The references of the joint controllers jump to `targets` at the start of the call. They are
        held until its end with rate 0, or change from `targets` at the given `rates`. Backlash,
        torque limits and lag of the motors of the scene act as in any run; speed limits
        (`actuator.max_speed_deg_s`) do not, because controllers apply them. A run whose controller
        commands the same values takes the same steps, bit for bit. So do n calls of one step each,
        under `targets` alone or under
        `torques`.

        Raises `UsageError` if an argument is invalid, or a target is more than half a turn beyond
        the limits of its joint (without limits: beyond a full turn); nothing is changed then. Raises
        `PhysicsError`
        with the time and the reason if a step fails; the state is that before the failed step.

        Parameters
        ----------
        targets : (m,) array, optional
            Target angles of the joint axes (`axes`), rad.
        n : int
            Number of steps. Without targets and torques, the gait or the controller of the scene
            drives the robot, as in a run.
        rates : (m,) array, optional
            Rates of the targets, rad/s.
        torques : (m,) array, optional
            Motor torques, which replace the output of the joint controllers and are held, N m.
        """
        if self._closed:
            self._check_open()
        if type(n) is not int or n < 1:
            n = _count("n", n)
        if targets is not None and torques is None:
            if not self._jointed or self._gives_torques:
                self._check_targets()
            rate = None if rates is None else self._values("rates", rates)
            self._stepper.hold(n, self._values("targets", targets), rate, None)
        elif torques is not None:
            if targets is not None or rates is not None:
                raise UsageError("A step has targets or torques, not both. Omit one of them.")
            if not self._jointed:
                self._check_targets()
            self._stepper.hold(n, None, None, self._values("torques", torques))
        elif rates is not None:
            raise UsageError("rates need targets. Give targets, too.")
        else:
            self._stepper.drive(n)

    def step_period(
        self,
        targets: ArrayLike | None = None,
        n: int = 1,
        *,
        rates: ArrayLike | None = None,
        torques: ArrayLike | None = None,
    ) -> None:
        """Advance by `n` control periods of the scene; otherwise as `step`."""
        periods = n if type(n) is int and n > 0 else _count("n", n)
        self.step(targets, periods * self.period_steps, rates=rates, torques=torques)

    def _values(self, name: str, data: ArrayLike) -> FloatArray:
        """Return the argument with one value per axis."""
        if type(data) is np.ndarray and data.dtype == np.float64 and data.shape == self._shape:
            values: FloatArray = data
        else:
            try:
                values = np.asarray(data)
                usable = values.dtype.kind in "iuf"
            except (TypeError, ValueError):
                usable = False
            if not usable:
                raise wrong_kind(name, "an array of numbers", data)
            if values.shape != self._shape:
                raise UsageError(
                    f"{name} must have the shape {self._shape}, one value for each of {_listed(self._axes)} "
                    f"(got {values.shape})."
                )
            values = values.astype(np.float64)
        if not values.dot(values) <= self._safe_square:
            self._check_range(name, values)
        return values

    def _check_range(self, name: str, values: FloatArray) -> None:
        """Raise `UsageError` if a value is not finite, or a target is far beyond its joint's range."""
        if not np.isfinite(values).all():
            axis = int(np.flatnonzero(~np.isfinite(values))[0])
            raise UsageError(
                f"{name}[{axis}] ({self._axes[axis]}) must be a finite number (got {values[axis]:g})."
            )
        beyond = self._target_limits.first_beyond(values) if name == "targets" else None
        if beyond is not None:
            raise UsageError(
                beyond_text(f"targets[{beyond}]", self._axes[beyond], float(values[beyond]))
            )

    def _check_targets(self) -> None:
        """Raise `UsageError` if the robot cannot follow targets."""
        if not self._jointed:
            raise UsageError(
                "This robot is a continuous body without joints. Call step() without targets, so "
                "that its strain law drives it."
            )
        raise UsageError(
            'The joints of this scene follow torques. Give torques, or choose another kind for "gait".'
        )

    def apply_wrench(
        self, link: int, force: ArrayLike = (0.0, 0.0, 0.0), torque: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        """Apply a force and a torque to a link until they are changed; they replace those of previous calls.

        Raises `UsageError` if an argument is invalid; nothing is changed then.

        Parameters
        ----------
        link : int
            0-based index; -1 is the last link.
        force : (3,) array
            Force at the centre of gravity of the link, world frame, N.
        torque : (3,) array
            Torque, world frame, N m. On a robot that moves in the plane, only forces in the plane
            and the torque about the vertical axis act.
        """
        self._check_open()
        count = self._stepper.engine.schema.n_links
        if not is_number(link, Integral):
            raise wrong_kind("link", "a whole number", link)
        if not -count <= link < count:
            raise UsageError(f"link must be from 0 to {count - 1} (got {link}).")
        x, y, z = _vector("force", force)
        self._stepper.apply_wrench(int(link) % count, (x, y, z), _vector("torque", torque))

    # ---------------------------------------------------------------------------- reset and restore

    def reset(self, seed: int | None = None, values: Mapping[str, Any] | None = None) -> None:
        """Reset the simulation to the start; this ends a recording.

        Raises `UsageError` or `SceneError` if an argument is invalid; the simulation is
        unchanged then.

        Parameters
        ----------
        seed : int, optional
            Seed of `rng`, and of new seeds for the random parts of the scene: fields of rubble and
            the force noise of a controller. Both are unchanged if omitted.
        values : mapping, optional
            Values that replace those of the scene as it was opened, by dotted key. Seeds among
            them, or among the values at opening, are not drawn again.
        """
        self._check_open()
        changes = values_of("values", values)
        new_seed = None if seed is None else seed_of(seed)
        scene = with_values(self._opened, changes) if changes else self._opened
        scene = self._seeded(scene, self._seed if new_seed is None else new_seed, changes)
        self._restart(scene if scene != self.scene else self.scene)
        if new_seed is not None:
            self._seed = new_seed
            self.rng = np.random.default_rng(new_seed)

    def _seeded(self, scene: Scene, seed: int | None, changes: Mapping[str, Any]) -> Scene:
        """Return the scene with seeds drawn from `seed`, except those among the values that were given."""
        if seed is None:
            return scene
        return with_drawn_seeds(scene, seed, {**self._values_given, **changes})

    def _restart(self, scene: Scene) -> None:
        self._end_recording()
        self._stepper.restart(scene)
        self._on_built()

    def save(self) -> SavedState:
        """Return the full state, from which `restore` continues bit for bit; it can be pickled."""
        self._check_open()
        return SavedState(self._stepper.save(), dict(self.rng.bit_generator.state))

    def restore(self, state: SavedState) -> None:
        """Restore a saved state of this or another simulation; this ends a recording.

        Raises `UsageError` or `StateError` if it cannot be used; the simulation is unchanged then.
        """
        self._check_open()
        if not isinstance(state, SavedState):
            raise wrong_kind("state", "a state that save() returned", state)
        self._end_recording()
        self._stepper.restore(state.state)
        self._on_built()
        self.rng.bit_generator.state = state.random

    # ------------------------------------------------------------------------- images and
    # recordings

    def render(
        self, width: int = 640, height: int = 480, camera: Camera | str | None = None
    ) -> UInt8Array:
        """Render an image of the current state, (height, width, 3) uint8, row 0 at the top; needs no screen.

        Raises `UsageError` if an argument is invalid. Raises `GraphicsError` if this machine cannot
        render.

        Parameters
        ----------
        width : int
            Width of the image, pixels.
        height : int
            Height of the image, pixels.
        camera : Camera or str, optional
            Camera, or the name of a view around the robot: "perspective" (default), "top", "front",
            "right", "isometric".
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

    def _camera(self, choice: Camera | str | None, aspect: float) -> Camera:
        from snakestudio.drawing.camera import STANDARD_VIEWS, Camera

        if isinstance(choice, Camera):
            return choice
        name = "perspective" if choice is None else choice
        if not isinstance(name, str):
            raise wrong_kind("camera", "a Camera or the name of a view", choice)
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
        """Start recording at the log rate of the scene, until `stop_recording`, `reset`, `restore` or `close`.

        The first row is the current state. Times, works and impulses count from the start of the
        simulation.

        Raises `UsageError` or `ExportError` if the file cannot be written, or the simulation is
        already being recorded.

        Parameters
        ----------
        path : str or Path, optional
            Run file (.mcap), which is written during the simulation, or a file in another format
            of `Run.export`, which is written at the end. If omitted, the recording is only available
            from `run`.
        """
        self._check_open()
        if self._stepper.recording is not None:
            raise UsageError(
                "The simulation is already being recorded. Call stop_recording() first."
            )
        target = None if path is None else _recorded_to(path)
        run_file = target is not None and target.suffix.lower() == ".mcap"
        self._stepper.record(target if run_file else None, self._scene_file or "")
        self._export = None if run_file else target

    @property
    def run(self) -> Run:
        """Return the rows since `record` was called, as a run.

        Raises `UsageError` if there is no recording.
        """
        self._check_open()
        recording = self._stepper.recording
        if recording is None:
            raise UsageError("There is no recording. Call record() first.")
        recording.flush()
        return Run(recording.recording, self._scene_file, base_dir=self._base_dir)

    def stop_recording(self) -> None:
        """End the recording with the current state; nothing happens without a recording.

        Raises `ExportError` if the file could not be written completely.
        """
        self._check_open()
        self._end_recording()

    def _end_recording(self) -> None:
        """End the recording and export it."""
        recording = self._stepper.recording
        target = self._export
        self._export = None
        self._stepper.stop_recording()
        if recording is None:
            return
        if recording.recording.path is not None and recording.recording.trouble_at_end:
            raise ExportError(recording.recording.trouble_at_end)
        if target is not None:
            Run(recording.recording, self._scene_file, base_dir=self._base_dir).export(target)

    # ---------------------------------------------------------------------------------------- close

    def close(self) -> None:
        """End the recording and release the renderer; further calls do nothing."""
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
    """Open a scene that the calling program steps.

    >>> with ss.open_simulation("scenes/sidewinding.toml") as sim:
    ...     for _ in range(100):
    ...         sim.step(0.3 * np.sin(sim.time + np.arange(len(sim.axes))), n=sim.period_steps)
    ...     print(sim.state.centre_of_mass)

    Raises `SceneError`, `RunFileError`, `PluginError` or `UsageError` if the scene or an argument
    is invalid.

    Parameters
    ----------
    scene : Scene, Run or path
        A scene, its file, a run or its file.
    values : mapping, optional
        Scene values to replace, by dotted key: ``{"ground.mu_along": 0.3}``.
    seed : int, optional
        Seed of `Simulation.rng` and of the random parts of the scene, as in `simulate`.
    plugins : sequence of path or str
        Plug-ins to load first, as in `simulate`.

    Returns
    -------
    Simulation
        Simulation at the start of the scene; close it, or use it in a `with` statement.
    """
    load_plugins(plugins)
    prepared, base_dir, _ = prepare(scene, values=values)
    return Simulation(prepared, base_dir, scene_name(scene), seed, values)


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array


def _count(name: str, value: object) -> int:
    """Return the argument that is a positive whole number."""
    if not is_number(value, Integral):
        raise wrong_kind(name, "a whole number", value)
    if value < 1:
        raise UsageError(f"{name} must be at least 1 (got {value}).")
    return int(value)


def _vector(name: str, vector: ArrayLike) -> tuple[float, float, float]:
    try:
        values = np.asarray(vector)
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
    """Return the names as part of a sentence; for many names, the first and the last."""
    if len(names) > 6:
        return f"{len(names)} axes from {names[0]} to {names[-1]}"
    return listing(names, conjunction)


def _recorded_to(path: object) -> Path:
    """Return the checked file for a recording."""
    target = path_of("path", path)
    format_of(target)
    writable(target)
    return target
