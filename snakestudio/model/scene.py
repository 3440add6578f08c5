"""Scene: one frozen value that fully describes a run.

Numbers are stored as written in the file, in the unit named by the key (`gait.amplitude_deg`), so
that typed values survive any number of saves exactly; properties convert to SI and radians for the
engines.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, Literal

from pydantic import model_validator

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.model.body import Body, ChainBody, ContinuousBody
from snakestudio.model.controllers import ControllerFields, GaitAlone
from snakestudio.model.fields import Frozen, value
from snakestudio.model.formulations import ModelFields, PlanarNonsmooth
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.html_renderer import html_of
from snakestudio.model.motion import BodyWaves, GaitFields, LateralUndulation, Start, StraightStart
from snakestudio.model.obstacles.shape import SHAPES, Obstacle
from snakestudio.model.registry import CONTROLLERS, FORMULATIONS, GAIT_KINDS, Registry
from snakestudio.model.robot.axis_values import (
    AxisValues,
    axis_values,
    limit_problems,
    link_friction,
)
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.robot import Actuator, JointController, Robot
from snakestudio.model.robot.strain import Serpentine, Strain
from snakestudio.model.robot.support import Rings, Support
from snakestudio.model.world import Ground
from snakestudio.plugins.loaded import is_loaded
from snakestudio.plugins.named import names_of, problem_of_name

PARTS_WITH_KINDS: dict[str, Registry[Any]] = {
    "model": FORMULATIONS,
    "gait": GAIT_KINDS,
    "controller": CONTROLLERS,
    "obstacles": SHAPES,
}
"""Parts of a scene for which plug-ins can add kinds."""

FORMAT = 1
"""Version of the scene file format."""

_EDITS = "snakestudio.model.edits"
"""Module of `with_values`, by name because it imports scenes."""

MOST_BODIES = 50_000
"""Largest total number of posts, blocks and steps in the obstacles of a scene."""


class Control(Frozen):
    """Timing of the set-points."""

    period_s: float = value(
        0.01,
        label="Control period",
        unit="s",
        help="Length of the time interval for which joint references are computed together",
        gt=0,
        le=1,
        slider=(0.001, 0.1),
    )
    lead_in: bool = value(
        True,
        label="Ramp-up",
        help="If the robot starts in another shape, blend its references over a short ramp to those of the gait or"
        " controller; if off, the references follow the gait from t = 0, even if they start with a jump",
    )
    soft_start_deg: float = value(
        0.0,
        label="Start tolerance",
        unit="°",
        help="Each joint axis stays at 0 until its reference is first within this angle of 0 (3 in P1, VIII-E; 0: off)",
        ge=0,
        le=180,
        slider=(0, 10),
    )
    set_point_period_s: float = value(
        0.0,
        label="Set-point period",
        unit="s",
        help="Interval between set-points of the joints, which hold each until the next, in whole time steps"
        " (0.1 on Aiko; 0: a set-point at every step)",
        ge=0,
        le=10,
        slider=(0, 0.5),
    )
    start_delay_s: float = value(
        0.0,
        label="Start delay",
        unit="s",
        help="Time for which the joints hold their first set-point before the gait starts (0.05 to 0.15 on Aiko)",
        ge=0,
        le=100,
        slider=(0, 1),
    )


class Solver(Frozen):
    """Time step and accuracy of the contact solver."""

    step_s: float = value(
        0.00025,
        label="Time step",
        unit="s",
        symbol="Δt",
        help="Length of a time step",
        gt=0,
        le=0.1,
        slider=(5e-5, 1e-3),
    )
    joints: Literal["explicit", "implicit"] = value(
        "explicit",
        label="Joint controllers",
        help="Integration of the joint controllers: explicit as in the papers, or implicit, which allows large time"
        " steps (non-smooth models)",
    )
    tolerance: float = value(
        1e-9,
        label="Tolerance",
        help="Residual at which the contact solver stops; a residual of at most 1e-8 counts as converged",
        gt=0,
        le=1e-8,
        slider=(1e-12, 1e-8),
        live=True,
    )
    error_tolerance: float = value(
        1e-4,
        label="Error tolerance",
        help="Largest error of a time step, in rad (angle of a link) or m (continuous body); steps are subdivided to"
        " stay below it (nonholonomic and continuum models)",
        gt=0,
        le=0.1,
        slider=(1e-7, 1e-2),
        live=True,
    )
    max_iterations: int = value(
        2000,
        label="Maximum iterations",
        help="Largest number of Newton iterations in a time step",
        ge=1,
        le=100000,
        slider=(10, 5000),
        live=True,
    )


class Run(Frozen):
    """Duration and log rate of a run."""

    duration_s: float = value(
        10.0,
        label="Duration",
        unit="s",
        help="Simulated duration of a run",
        gt=0,
        le=1e6,
        slider=(1, 60),
        live=True,
    )
    log_rate_hz: float = value(
        100.0,
        label="Log rate",
        unit="Hz",
        help="Rows recorded per simulated second",
        gt=0,
        le=1e5,
        slider=(10, 1000),
    )


class Scene(Frozen):
    """Complete description of a run: robot, world, model, motion, solver and start."""

    format: Literal[1] = value(FORMAT, label="Format", help="Version of the scene file format")
    title: str = value("", label="Title", help="Title of the scene", max_length=200)
    description: str = value(
        "", label="Description", help="Purpose of the scene and what to observe", max_length=4000
    )
    source: str = value(
        "", label="Source", help="Paper and figure that the scene reproduces", max_length=200
    )
    plugin: str | tuple[str, ...] = value(
        (),
        label="Plug-in",
        help="Python files in the scene's folder, or installed packages, that add kinds to the scene",
    )
    model: Annotated[ModelFields, FORMULATIONS] = value(
        PlanarNonsmooth(), label="Model", help="Formulation of the dynamics"
    )
    robot: Robot = value(Robot(), label="Robot", help="Body of the robot")
    beam: Beam = value(
        Beam(), label="Continuum body", help="Body of a continuum robot (continuum model)"
    )
    strain: Strain = value(
        Serpentine(), label="Strain law", help="Strains along a continuum robot's body over time"
    )
    support: Support = value(
        Rings(), label="Contacts of the body", help="Contacts that hold or move a continuum robot"
    )
    ground: Ground = value(Ground(), label="Ground", help="Ground plane and gravity")
    obstacles: Annotated[tuple[Obstacle, ...], SHAPES] = value(
        (), label="Obstacles", help="Fixed obstacles", max_length=20000
    )
    path: GroundPath = value(
        GroundPath(), label="Path", help="Path on the ground for controllers to follow"
    )
    gait: Annotated[GaitFields, GAIT_KINDS] = value(
        LateralUndulation(), label="Gait", help="Open-loop reference of the joints"
    )
    controller: Annotated[ControllerFields, CONTROLLERS] = value(
        GaitAlone(), label="Controller", help="Closed-loop controller on top of the gait"
    )
    joint_controller: JointController = value(
        JointController(), label="Joint controller", help="Low-level controller of each joint"
    )
    actuator: Actuator = value(
        Actuator(), label="Actuators", help="Effects of real joint motors beyond the PD law"
    )
    control: Control = value(Control(), label="Control", help="Timing of the set-points")
    solver: Solver = value(Solver(), label="Solver", help="Time step and accuracy")
    run: Run = value(Run(), label="Run", help="Duration and logging")
    start: Start = value(StraightStart(), label="Start", help="Initial state")

    @model_validator(mode="before")
    @classmethod
    def _leave_unknown_kinds_unchecked(cls, values: Any) -> Any:
        """Accept parts whose kind belongs to a plug-in that is not loaded."""
        if not isinstance(values, dict) or all(
            is_loaded(each) for each in names_of(values.get("plugin", ()))
        ):
            return values
        open_parts = {
            name: registry.unchecked(values[name])
            for name, registry in PARTS_WITH_KINDS.items()
            if name in values
        }
        return {**values, **open_parts}

    @property
    def plugins(self) -> tuple[str, ...]:
        """Files and packages that the scene lists as plug-ins."""
        return names_of(self.plugin)

    def with_values(self, values: Mapping[str, Any]) -> Scene:
        """Return the scene with other values, by dotted key: ``{"gait.amplitude_deg": 30}``.

        Raises `SceneError` with keys, values and remedies; the scene itself never changes.
        """
        changed: Scene = import_module(_EDITS).with_values(self, dict(values))
        return changed

    def _repr_html_(self) -> str | None:
        """Return the HTML for a notebook."""
        return html_of(self)

    @property
    def body(self) -> Body:
        """Body of the robot: links or a continuous beam."""
        if self.model.body is ContinuousBody:
            return ContinuousBody(self.beam, self.support)
        return ChainBody(self.robot, self.model.spatial)

    @property
    def axis_values(self) -> AxisValues:
        """Limits, gains, motors and springs of all axes in `body.axes`."""
        return axis_values(self.robot, self.joint_controller, self.actuator, self.body.axes)

    @property
    def link_friction(self) -> FloatArray:
        """Friction coefficients of each link, (n, 3): sliding head first, sliding tail first, across."""
        return link_friction(self.robot, self.ground)

    @property
    def steps_per_period(self) -> int:
        """Time steps in a control period."""
        return round(self.control.period_s / self.solver.step_s)

    @property
    def n_steps(self) -> int:
        """Time steps in the whole run."""
        return max(1, round(self.run.duration_s / self.solver.step_s))

    @property
    def waves(self) -> BodyWaves:
        """Waves of the gait along the joints."""
        return self.gait.waves(self.robot)

    @property
    def gives_torques(self) -> bool:
        """Whether the gait gives motor torques; otherwise joint controllers follow reference angles."""
        return self.gait.gives_torques


def structure_problems(scene: Scene) -> list[Problem]:
    """Return the contradictions between values of a scene; a scene with any is rejected."""
    problems: list[Problem] = []

    def wrong(key: str, message: str, remedy: str) -> None:
        problems.append(Problem("error", key, message, remedy))

    for each in scene.plugins:
        if problem := problem_of_name(each):
            wrong("plugin", *problem)
    bodies = sum(getattr(o, "blocks", 1) * getattr(o, "steps", 1) for o in scene.obstacles)
    if bodies > MOST_BODIES:
        wrong(
            "obstacles",
            f"the obstacles have {bodies} blocks and steps in total, more than {MOST_BODIES}",
            "remove some",
        )
    ratio = scene.control.period_s / scene.solver.step_s
    if round(ratio) < 1 or abs(ratio - round(ratio)) > 1e-6 * ratio:
        wrong(
            "control.period_s",
            f"{scene.control.period_s:g} s is not a whole number of time steps of {scene.solver.step_s:g} s",
            f"set it to a multiple of solver.step_s, for example {max(1, round(ratio)) * scene.solver.step_s:g}",
        )
    if 0.0 < scene.control.set_point_period_s < scene.solver.step_s * (1 - 1e-9):
        wrong(
            "control.set_point_period_s",
            f"{scene.control.set_point_period_s:g} s is shorter than a time step of {scene.solver.step_s:g} s",
            "set it to at least one time step, or to 0 for a set-point at every step",
        )
    if scene.run.duration_s < 0.5 * scene.solver.step_s:
        wrong(
            "run.duration_s",
            f"{scene.run.duration_s:g} s is shorter than half a time step",
            "increase it",
        )
    if scene.run.log_rate_hz * scene.solver.step_s > 1 + 1e-9:
        wrong(
            "run.log_rate_hz",
            f"{scene.run.log_rate_hz:g} Hz is more than one row per time step",
            f"set it to at most {1 / scene.solver.step_s:g}",
        )
    for key, message, remedy in scene.path.mistakes():
        wrong(f"path.{key}", message, remedy)
    robot = scene.robot.problems()
    if not robot and scene.robot.joint:
        robot = limit_problems(scene.robot, scene.body.axes, scene.axis_values)
    if robot:
        return problems + robot
    return problems + scene.body.start_problems(scene.start)
