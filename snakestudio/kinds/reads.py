"""Which values of a scene have an effect, depending on the formulation and on other values.

A formulation declares the keys that it reads. From this, `check`, `run` and the window report which
explicit values are ignored, and where they would have an effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel

from snakestudio.errors import Fix, Problem
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.kinds.gait import GAIT_KINDS
from snakestudio.model.body import ContinuousBody
from snakestudio.model.motion import GaitStart
from snakestudio.model.obstacles.shape import Obstacle, shape_of
from snakestudio.model.robot.robot import Actuator, JointController
from snakestudio.model.scene import Scene
from snakestudio.model.world import GroundPicture
from snakestudio.text import counted, listing, literal_text, noun, quoted

EVERY_MODEL = frozenset(
    {
        "format",
        "title",
        "description",
        "source",
        "plugin",
        "model.*",
        "robot.name",
        "run.*",
        "control.period_s",
        "solver.step_s",
    }
)
"""Keys that every model reads; "run.*" means all keys of a part, and keys of obstacles have no
numbers."""

LINKS = EVERY_MODEL | {
    *(
        f"robot.{name}"
        for name in ("n_links", "link_length_m", "radius_m", "mass_kg", "inertia_kg_m2", "head")
    ),
    "robot.contact_half_length_m",  # drawn, even without collisions
    *(
        f"ground.{name}"
        for name in ("mu_along", "mu_across", "gravity_m_s2", "slope_deg", "downhill_deg")
    ),
    "gait.kind",  # implies all fields except those of pitch
    *(
        f"start.{name}"
        for name in (
            "kind",
            "link",
            "x_m",
            "y_m",
            "vx_m_s",
            "vy_m_s",
            "omega_deg_s",
            "heading_deg",
            "amplitude_deg",
            "phase_shift_deg",
            "phase_deg",
            "joint_angles_deg",
            "link_angles_deg",
            "position_m",
            "orientation_wxyz",
            "velocity_m_s",
            "angular_velocity_rad_s",
            "file",
            "time_s",
        )
    ),
    "joint_controller.kp_nm_per_rad",
    "joint_controller.kd_nms_per_rad",
    "controller.*",
    "control.*",
    "path.*",
    "strain.*",
    "beam.length_m",
    "actuator.max_speed_deg_s",  # limits the references
}
"""Keys that every formulation of a robot with links reads, directly or through its controller."""

_AS_WITHOUT = {"ground.mu_rolling": 0.0}
"""Values with which a formulation behaves like formulations that do not read them."""


class _Condition(NamedTuple):
    """Values that have an effect only in combination with other values."""

    keys: tuple[str, ...]
    """As in `READS`."""

    of: str
    """The deciding key; the condition does not apply to formulations that do not read it."""

    holds: Callable[[Scene], bool]
    """Whether the values have an effect in a scene."""

    reason: str
    """The condition as a short text."""


def _takes_shape(scene: Scene, *own: str) -> bool:
    """Whether the start pose comes from the gait and none of the start's keys in `own` overrides it."""
    return isinstance(scene.start, GaitStart) and all(
        getattr(scene.start, name) is None for name in own
    )


def _uses_gait(scene: Scene) -> bool:
    return scene.controller.uses_gait


def _slides(scene: Scene) -> bool:
    return scene.body.slides


_NOT_HERE = "not with this controller"

_NO_JOINTS = "only with joints"


def _shapes(name: str) -> _Condition:
    """Condition for a gait value that also determines the start pose, unless the start overrides it."""
    return _Condition(
        (f"gait.{name}",),
        "controller.kind",
        lambda s: _uses_gait(s) or _takes_shape(s, name),
        _NOT_HERE,
    )


def _jointed(scene: Scene) -> bool:
    return scene.robot.n_links > 1


_OF_JOINTS = (
    "gait.frequency_deg_s",
    "gait.offset_deg",
    "gait.pitch_amplitude_deg",
    "gait.pitch_frequency_deg_s",
    "gait.pitch_phase_shift_deg",
    "gait.pitch_phase_deg",
    "gait.pitch_offset_deg",
    *(f"joint_controller.{name}" for name in JointController.model_fields),
    *(f"actuator.{name}" for name in Actuator.model_fields),
    *(
        f"control.{name}"
        for name in ("lead_in", "soft_start_deg", "set_point_period_s", "start_delay_s")
    ),
    *(
        f"robot.{name}"
        for name in ("axis_offset_m", "joint_limit_deg", "joint_limit_stiffness_nm_per_rad")
    ),
    "robot.joints",
    "robot.joint",
    "solver.joints",
    "start.joint_angles_deg",
    "start.joint_pitch_deg",
    "start.joint_roll_deg",
)
_OF_SHAPE = tuple(
    f"gait.{name}" for name in ("kind", "amplitude_deg", "phase_shift_deg", "phase_deg")
)
"""Keys that determine the direction of a single link that starts in the pose of the gait."""

_OF_ANGLES = (
    *(f"joint_controller.{name}" for name in JointController.model_fields),
    *(
        f"control.{name}"
        for name in ("lead_in", "soft_start_deg", "set_point_period_s", "start_delay_s")
    ),
    "actuator.free_play_deg",
    "actuator.max_speed_deg_s",
    "solver.joints",
)
"""Keys for following joint angles."""

_CONDITIONS = (
    _Condition(_OF_ANGLES, "gait.kind", lambda s: not s.gives_torques, "not with given torques"),
    _Condition(_OF_JOINTS, "robot.n_links", _jointed, _NO_JOINTS),
    _Condition(_OF_SHAPE, "robot.n_links", lambda s: _jointed(s) or _takes_shape(s), _NO_JOINTS),
    _Condition(
        ("joint_controller.kp_nm_per_rad", "joint_controller.kd_nms_per_rad"),
        "joint_controller.law",
        lambda s: s.joint_controller.law == "pd",
        "only under PD control",
    ),
    _Condition(
        ("joint_controller.linearization_kp_per_s2", "joint_controller.linearization_kd_per_s"),
        "joint_controller.law",
        lambda s: s.joint_controller.law == "feedback_linearization",
        "only under feedback linearization",
    ),
    _Condition(
        ("ground.stribeck_velocity_m_s",),
        "ground.stribeck_rise",
        lambda s: s.ground.stribeck_rise > 0.0,
        "only with a Stribeck rise",
    ),
    _Condition(
        ("actuator.dry_friction_rise",),
        "actuator.dry_friction_nm",
        lambda s: bool(s.axis_values.dry.any()),
        "only with dry friction",
    ),
    _Condition(
        ("actuator.dry_friction_speed_deg_s",),
        "actuator.dry_friction_nm",
        lambda s: bool((s.axis_values.dry * s.axis_values.dry_rise).any()),
        "only with a rise of dry friction",
    ),
    _Condition(
        ("actuator.restitution",),
        "actuator.restitution",
        lambda s: bool(np.isfinite([s.axis_values.lower, s.axis_values.upper]).any()),
        "only with a joint limit",
    ),
    _Condition(
        ("ground.downhill_deg",),
        "ground.slope_deg",
        lambda s: s.ground.slope_deg > 0.0,
        "only on a slope",
    ),
    _Condition(
        tuple(
            f"ground.picture.{name}"
            for name in GroundPicture.model_fields
            if name not in GroundPicture.files
        ),
        "ground.picture",
        lambda s: bool(s.ground.picture),
        "only with a picture",
    ),
    _Condition(
        ("path.shape", "path.closed"),
        "path.waypoints_m",
        lambda s: bool(s.path),
        "only with waypoints",
    ),
    _Condition(
        ("robot.joint_limit_stiffness_nm_per_rad",),
        "robot.joint_limit_deg",
        lambda s: s.robot.joint_limit_deg is not None,
        "only with a joint limit",
    ),
    *(_shapes(name) for name in ("amplitude_deg", "phase_shift_deg", "phase_deg")),
    _Condition(
        ("gait.frequency_deg_s", "gait.pitch_frequency_deg_s", "gait.offset_deg"),
        "controller.kind",
        _uses_gait,
        _NOT_HERE,
    ),
    _Condition(
        ("start.amplitude_deg", "start.phase_shift_deg", "start.phase_deg"),
        "gait.kind",
        lambda s: "amplitude_deg" in type(s.gait).model_fields,
        "not with this kind of gait",
    ),
    _Condition(
        ("gait.*",), "controller.kind", lambda s: _uses_gait(s) or _takes_shape(s), _NOT_HERE
    ),
    _Condition(
        ("control.lead_in",),
        "controller.kind",
        lambda s: bool({"gait", "strain"}.intersection(s.controller.uses)),
        _NOT_HERE,
    ),
    _Condition(
        ("control.soft_start_deg", "control.set_point_period_s", "control.start_delay_s"),
        "controller.kind",
        _uses_gait,
        _NOT_HERE,
    ),
    _Condition(
        ("strain.*", "beam.length_m"),
        "controller.kind",
        lambda s: "strain" in s.controller.uses,
        "only in the continuum model",
    ),
    _Condition(
        (
            *(
                f"ground.{name}"
                for name in ("mu_along", "mu_across", "mu_backward", "law", "load_factor", "patch")
            ),
            "ground.friction_factor",
            "ground.picture",
            "ground.coulomb_smoothing_m_s",
        ),
        "support.kind",
        _slides,
        "only where friction moves the body",
    ),
    _Condition(
        ("start.vx_m_s", "start.vy_m_s", "start.vz_m_s", "start.omega_deg_s"),
        "support.kind",
        _slides,
        "only where friction moves the body",
    ),
    _Condition(  # the links of the chain it is compared with
        ("robot.n_links",),
        "support.kind",
        _slides,
        "only where friction moves the body",
    ),
)


def _holds(patterns: frozenset[str] | tuple[str, ...], key: str) -> bool:
    """Whether the patterns contain a key, its part, or all keys of the part."""
    part, _, inner = key.partition(".")
    return (
        key in patterns
        or f"{part}.*" in patterns
        or f"{part}.{inner.partition('.')[0]}" in patterns
    )


@lru_cache(maxsize=1024)
def _conditions_of(key: str) -> tuple[_Condition, ...]:
    """Conditions of a declared key."""
    return tuple(condition for condition in _CONDITIONS if _holds(condition.keys, key))


def _read(patterns: frozenset[str], key: str) -> bool:
    """Whether a formulation reads a key; `gait.kind` implies all fields of the gait but those of pitch."""
    flat = "gait.kind" in patterns and key.startswith("gait.") and not key.startswith("gait.pitch_")
    return _holds(patterns, key) or flat


@lru_cache(maxsize=1024)
def _plain(key: str) -> str:
    """The key as it is declared, without the numbers of obstacles and entries. Tables such as patches are one key."""
    return re.sub(r"\[\d+\]", "", key) if key.startswith("obstacles[") else key.partition("[")[0]


def readers(key: str) -> tuple[str, ...]:
    """Formulations that read the value at a dotted key."""
    plain = _plain(key)
    return tuple(kind for kind, declared in FORMULATIONS.items() if _read(declared.reads, plain))


def _like(own: str, kinds: Iterable[str]) -> tuple[str, ...]:
    """Formulations in `kinds` with the same kind of body as the formulation `own`."""
    body = FORMULATIONS[own].fields.body
    return tuple(kind for kind in kinds if FORMULATIONS[kind].fields.body is body)


def unused_reason(scene: Scene, key: str) -> str:
    """Reason why the value at a dotted key has no effect in the current scene, as a short text; "" if it has one."""
    kind = scene.model.kind
    plain = _plain(key)
    reads = FORMULATIONS[kind].reads
    if plain.startswith("obstacles.") and "[" in key and "obstacles.*" in reads:
        obstacle = scene.obstacles[int(key[key.index("[") + 1 : key.index("]")]) - 1]
        if why := _of_shape(obstacle, plain.partition(".")[2]):
            return why
    if not _read(reads, plain):
        return _where(readers(plain), kind)
    for condition in _conditions_of(plain):
        if _holds(reads, condition.of) and not condition.holds(scene):
            return condition.reason
    if _holds(reads, "controller.kind"):
        own = (*CONTROLLERS[scene.controller.kind].effects, *GAIT_KINDS[scene.gait.kind].effects)
        return next(
            (reason for keys, holds, reason in own if plain in keys and not holds(scene)), ""
        )
    return ""


def belongs_elsewhere(scene: Scene, key: str) -> bool:
    """Whether the value at `key` belongs to another formulation than the scene's.

    That includes keys that are ignored for the scene's kind of body.
    """
    known = _like(scene.model.kind, readers(key))
    special = (
        bool(known)
        and scene.model.kind not in known
        and all(FORMULATIONS[kind].alone for kind in known)
    )
    return special or left_out(scene, key)


def left_out(scene: Scene, key: str) -> bool:
    """Whether the value at `key` is hidden rather than shown as without effect, because the scene's body cannot use it.

    For a chain of links these are the tables of a continuous body; a continuous body ignores most of a
    scene.
    """
    foreign = scene.body.strained or key.partition(".")[0] in ContinuousBody.tables
    return foreign and bool(unused_reason(scene, key))


def _of_shape(obstacle: Obstacle, name: str) -> str:
    """Reason why a value of an obstacle has no effect, as a short text; "" if it has one."""
    own = shape_of(obstacle).effects
    return next((reason for keys, holds, reason in own if name in keys and not holds(obstacle)), "")


def _where(known: tuple[str, ...], kind: str) -> str:
    """Short list of the models that use a key."""
    among = _like(kind, known) or known
    if len(among) >= len(_like(kind, FORMULATIONS)) - 1:  # all others of such bodies
        return f"not in the {FORMULATIONS[kind].name} model"
    names = [FORMULATIONS[one].name for one in among]
    return f"only in the {listing(names)} {noun(len(names), 'model')}"


class _ExplicitValue(NamedTuple):
    """An explicit value: its key, value, default (None also if there is none), and the reason why it is unused."""

    key: str
    value: Any
    default: Any
    why: str


@lru_cache(maxsize=256)
def _defaults(part: type[BaseModel]) -> dict[str, Any]:
    """Defaults of the fields of a part. They are frozen; pydantic would copy them for each caller."""
    return {
        field: info.get_default(call_default_factory=True)
        for field, info in part.model_fields.items()
    }


def _explicit_values(
    part: BaseModel, usual: BaseModel, name: str
) -> Iterator[tuple[str, Any, Any]]:
    """Values of a part that differ from the default."""
    defaults = _defaults(type(part))
    for field, info in type(part).model_fields.items():
        value = getattr(part, field)
        default = getattr(usual, field) if field == "kind" else defaults[field]
        if (info.is_required() and field != "kind") or value != default:
            yield f"{name}.{field}", value, None if info.is_required() else default


def findings(scene: Scene) -> list[Problem]:
    """Problems for explicit values that have no effect in the current scene; one per part if the reason is the same."""
    problems = []
    for name, usual in _defaults(Scene).items():
        part = getattr(scene, name)
        if not isinstance(part, BaseModel) or part == usual:
            continue
        unused = [
            _ExplicitValue(key, value, default, why)
            for key, value, default in _explicit_values(part, usual, name)
            if (why := unused_reason(scene, key)) and _AS_WITHOUT.get(key, default) != value
        ]
        entire_part = len(unused) > 1 and all(
            unused_reason(scene, f"{name}.{field}") or f"{name}.{field}" in EVERY_MODEL
            for field in type(part).model_fields
        )
        if unused and (entire_part or unused[0].key.endswith(".kind")):
            problems.append(_of_part(scene, name, unused))
        else:
            problems += [_of_value(scene, one) for one in unused]
    if "obstacles.*" in FORMULATIONS[scene.model.kind].reads:
        for j, obstacle in enumerate(scene.obstacles):
            for name in (name for keys, *_ in shape_of(obstacle).effects for name in keys):
                if why := _of_shape(obstacle, name):
                    default = type(obstacle).model_fields[name].default
                    one = _ExplicitValue(
                        f"obstacles[{j + 1}].{name}", getattr(obstacle, name), default, why
                    )
                    problems += [_of_value(scene, one)] if one.value != one.default else []
    return problems


def _elsewhere(scene: Scene, key: str) -> str:
    """Remedy that names where the value at a key has an effect; "" if that depends on other values."""
    known = readers(key)
    if scene.model.kind in known:
        return ""
    known = _like(scene.model.kind, known) or known
    return (
        "another model.kind"
        if len(known) > 2
        else "model.kind = " + listing(map(quoted, known), "or")
    )


def _no_effect(why: str) -> str:
    """Predicate for a value that has no effect, with the reason."""
    return (
        f"no effect {why.removeprefix('not ')}"
        if why.startswith("not with ")
        else f"no effect here ({why})"
    )


def _of_value(scene: Scene, explicit: _ExplicitValue) -> Problem:
    many = isinstance(explicit.value, tuple) and len(explicit.value) > 1
    back = "remove them" if many else "remove it"
    table = isinstance(explicit.value, BaseModel)
    elsewhere = _elsewhere(scene, explicit.key)
    return Problem(
        "warning",
        explicit.key,
        f"{_described(explicit.value)} {'are' if many else 'is'} ignored by this model"
        if elsewhere
        else f"{_described(explicit.value)} {'have' if many else 'has'} {_no_effect(explicit.why)}",
        f"{back}, or choose {elsewhere}" if elsewhere else back,
        fixes=(Fix(back.capitalize(), ((explicit.key, None if table else explicit.default),)),),
    )


def _of_part(scene: Scene, part: str, unused: list[_ExplicitValue]) -> Problem:
    names = [one.key.partition(".")[2] for one in unused]
    listed = listing(names)
    many = len(names) > 1
    elsewhere = _elsewhere(scene, unused[0].key)
    back = f"remove {'them' if many else 'it'}"
    values = tuple((one.key, one.default) for one in unused)
    return Problem(
        "warning",
        part,
        f"{listed} {'are' if many else 'is'} ignored by this model"
        if elsewhere
        else f"{listed} {'have' if many else 'has'} {_no_effect(unused[0].why)}",
        f"{back}, or choose {elsewhere}" if elsewhere else back,
        fixes=(Fix(back.capitalize(), ((part, None),) if names[0] == "kind" else values),),
    )


def _described(value: Any) -> str:
    """A value as in the file; for a long one, the number of its entries."""
    if isinstance(value, BaseModel):
        return "the table"
    return counted(len(value), "entry") if isinstance(value, tuple) else literal_text(value)
