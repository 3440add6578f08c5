"""The formulations of the dynamics as the window names them, and which scene values have a place beside each."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.engines import registry as engines
from snakestudio.kinds.reads import readers
from snakestudio.model.body import ContinuousBody
from snakestudio.model.scene import Scene, body_class
from snakestudio.session.compile_texts import ENGINE_NAMES

__all__ = ["MODELS", "ModelInfo", "belongs_elsewhere", "is_planar", "left_out", "unused_reason"]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """How a formulation is shown.

    Attributes
    ----------
    title : str
    short : str
        For the bar at the top.
    help : str
        What it can do, in a sentence.
    planar : bool
        Whether its links stay flat on the ground.
    """

    title: str
    short: str
    help: str
    planar: bool


MODELS = {
    "planar_nonsmooth": ModelInfo(
        "Planar, non-smooth (P2)",
        ENGINE_NAMES["planar_nonsmooth"],
        "Links flat on the ground among vertical cylinders; the fastest.",
        planar=True,
    ),
    "spatial_nonsmooth": ModelInfo(
        "Spatial, non-smooth (P1)",
        ENGINE_NAMES["spatial_nonsmooth"],
        "Links in space, two axes in every joint: lifting, rolling, stairs and uneven ground.",
        planar=False,
    ),
    "planar_lagrangian": ModelInfo(
        "Planar, Lagrangian (P4)",
        ENGINE_NAMES["planar_lagrangian"],
        "Links flat on open ground with viscous or smoothed Coulomb friction; joints that do exactly as they are told.",
        planar=True,
    ),
    "planar_nonholonomic": ModelInfo(
        "Planar, nonholonomic (P3)",
        ENGINE_NAMES["planar_nonholonomic"],
        "Links flat on the ground that cannot move sideways into what they touch: made for designing controllers.",
        planar=True,
    ),
    "continuum_beam": ModelInfo(
        "Continuum (P5)",
        ENGINE_NAMES["continuum_beam"],
        "A body without joints that is told its strains: worm, inchworm, snake, with forces and torques inside.",
        planar=False,
    ),
}
"""By `scene.model.kind`."""

_SMOOTH = frozenset({"planar_lagrangian", "planar_nonholonomic"})


def is_planar(scene: Scene) -> bool:
    """Whether the scene's formulation keeps the links flat on the ground."""
    return MODELS[scene.model.kind].planar


def unused_reason(scene: Scene, key: str) -> str:
    """Why the value at `key` has no effect in the scene as it stands, in a few words; "" if it has one."""
    return engines.unused_reason(scene, key)


def belongs_elsewhere(scene: Scene, key: str) -> bool:
    """Whether the value at `key` has no place beside the scene's model.

    That is a speciality of a smooth formulation that is not the scene's, and whatever is left out beside its body.
    """
    known = {kind for kind in readers(engines.reads(), key) if isinstance(scene.body, body_class(kind))}
    special = bool(known) and known <= _SMOOTH and scene.model.kind not in known
    return special or left_out(scene, key)


def left_out(scene: Scene, key: str) -> bool:
    """Whether the value at `key` is not even shown as being without effect: the scene's body has no use for it.

    Of a chain these are the tables of a continuous body; a continuous body leaves most of a scene alone.
    """
    foreign = scene.body.strained or key.partition(".")[0] in ContinuousBody.tables
    return foreign and bool(unused_reason(scene, key))
