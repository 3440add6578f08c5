"""All plausibility checks, each declared once: for reports, files, the window and docs/plausibility.md."""

from __future__ import annotations

from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.snapshot import Fields
from snakestudio.plausibility.block import RunContext
from snakestudio.plausibility.detector import Detector, PlausibilityCheck
from snakestudio.plausibility.energy import (
    MOST_RETURNED,
    MOST_UNEXPLAINED,
    PASSIVE,
    EnergyBalance,
    PassiveWork,
)
from snakestudio.plausibility.loads import (
    MOST_FORCE,
    MOST_LAG,
    MOST_OVER_MOTOR,
    MOST_STATED_TORQUE,
    MOST_TORQUE,
    UNUSUAL_LAG,
    ContactForce,
    JointLag,
    JointTorque,
)
from snakestudio.plausibility.motion import MOST_COM, MOST_LINK, MOST_MEAN, Fling, Speed
from snakestudio.plausibility.penetration import MOST_DEPTH, Penetration
from snakestudio.plausibility.solver import (
    MOST_CHANGE,
    MOST_RESIDUAL,
    MOST_UNSOLVED,
    StepDependence,
    Unsolved,
)


def _torque(context: RunContext) -> Detector | None:
    return JointTorque(context) if context.chain else None


def _lag(context: RunContext) -> Detector | None:
    return JointLag(context) if context.chain else None


def _speed(context: RunContext) -> Detector | None:
    return Speed(context) if context.chain else None


def _fling(context: RunContext) -> Detector | None:
    return Fling(context) if context.chain and context.scene.obstacles else None


def _penetration(context: RunContext) -> Detector | None:
    return None if context.schema.sections or not context.collides else Penetration(context)


def _balance(context: RunContext) -> Detector | None:
    kind = FORMULATIONS[context.scene.model.kind]
    return None if kind.works_outside_balance is None else EnergyBalance(context)


def _passive(context: RunContext) -> Detector | None:
    return PassiveWork(context) if set(PASSIVE) & set(context.schema.energy) else None


def _percent(fraction: float) -> str:
    return f"{100.0 * fraction:g} %"


_ALL = (
    PlausibilityCheck(
        "joint_torque",
        "joint torque",
        "A motor has a torque that no motor of such a robot has: usually the robot is wedged among obstacles, and its "
        "position control winds up until it slips and is flung.",
        f"{MOST_TORQUE:g} times the torque that the motion needs ({MOST_STATED_TORQUE:g} times for a motor with a "
        f"stated limit), or {MOST_OVER_MOTOR:g} times the limit of the motor. "
        "Snake robots lift a third to a half of their links, and the torque to lift or drag half of the robot, and to "
        "accelerate it as the gait does, is what the motion needs",
        "Set actuator.max_torque_nm to the limit of the motors.",
        _torque,
        Fields.TORQUE,
    ),
    PlausibilityCheck(
        "contact_force",
        "contact force",
        "A contact pushes a link with a force that neither robot nor obstacle would survive.",
        f"{MOST_FORCE:g} times the weight of the robot on one link, averaged between two rows. Impacts and pushing "
        "against obstacles with limited motors stay below 15",
        "Set actuator.max_torque_nm, or reduce the gains of the joint controllers.",
        ContactForce,
        Fields.CONTACTS,
    ),
    PlausibilityCheck(
        "speed",
        "speed",
        "The robot or a link is much faster than the gait can drive it, so something else accelerates it.",
        f"{MOST_COM:g} times the speed at which the gait moves the links for the centre of mass, and {MOST_LINK:g} "
        "times for a link, plus the speed of the start, of falling, of pulls and of springs",
        "Watch the run at this time, and set actuator.max_torque_nm.",
        _speed,
        Fields.TWIST,
    ),
    PlausibilityCheck(
        "fling",
        "fling",
        "The robot does not crawl out of the obstacles but is thrown out of them.",
        f"{MOST_MEAN:g} times the speed at which the gait moves the links, as the mean over 0.5 s when the centre "
        "of mass is outside of the field of obstacles and half a body length around it",
        "Set actuator.max_torque_nm, or place more obstacles along the path.",
        _fling,
        Fields.POSE,
    ),
    PlausibilityCheck(
        "penetration",
        "penetration",
        "A link is inside an obstacle or the ground, and is pushed out with a force that has no physical reason.",
        f"{_percent(MOST_DEPTH)} of the radius of the link. Contacts that are solved stay below 3 %",
        "Move the start or the obstacle, or reduce solver.step_s.",
        _penetration,
        Fields.POSE | Fields.CONTACTS,
    ),
    PlausibilityCheck(
        "joint_lag",
        "joint lag",
        "A joint is suddenly far from its reference although its motor has torque left, so the robot does not perform "
        "the gait.",
        f"{round(57.29578 * MOST_LAG)}°, and {UNUSUAL_LAG:g} times the median of the run. Joints with a saturated "
        "motor are excepted",
        "Increase the gains of the joint controllers, or reduce the speed of the gait.",
        _lag,
        Fields.JOINTS | Fields.REFERENCE | Fields.TORQUE,
    ),
    PlausibilityCheck(
        "energy_balance",
        "energy balance",
        "Kinetic energy appears or vanishes without the work of any force, so the equations of motion are not solved "
        "accurately.",
        f"{_percent(MOST_UNEXPLAINED)} of the exchanged energy. The works of numerical errors count as unexplained",
        "Reduce solver.step_s.",
        _balance,
        Fields.ENERGY,
    ),
    PlausibilityCheck(
        "passive_work",
        "passive work",
        "Friction, obstacles, bearings or stops drive the robot, although they can only brake it.",
        f"{_percent(MOST_RETURNED)} of the exchanged energy",
        "Reduce solver.step_s, and check that no link starts inside an obstacle.",
        _passive,
        Fields.ENERGY,
    ),
    PlausibilityCheck(
        "convergence",
        "convergence",
        "The contact problems were not solved, so forces and motion are not those of the model.",
        f"{_percent(MOST_UNSOLVED)} of the steps with a residual above 1e-8, or a residual of {MOST_RESIDUAL:g}, which "
        f"is an error of {_percent(MOST_RESIDUAL)} of the weight of a link",
        "Reduce solver.step_s or the friction, or increase solver.max_iterations.",
        Unsolved,
        Fields.SOLVER,
    ),
    PlausibilityCheck(
        "step",
        "time step",
        "The result depends on the time step. It is checked only if the step size was checked before.",
        f"values that do not settle with shorter steps, or an error of {_percent(MOST_CHANGE)}",
        "Reduce solver.step_s, or compare many runs instead of one.",
        StepDependence,
    ),
)

CHECKS: dict[str, PlausibilityCheck] = {check.name: check for check in _ALL}
"""All checks by name, the most conclusive first."""
