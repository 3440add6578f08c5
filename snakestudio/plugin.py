"""What authors of plug-ins use, in one place.

A plug-in is a Python file that declares `KIND` (or several in `KINDS`), each one of the declarations below, as the
program's own kinds do. Names are loaded when they are first used.

>>> from snakestudio.plugin import AngleGait, GaitFields, GaitKind, value
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snakestudio.plugins.loading import PLUGIN_API

if TYPE_CHECKING:
    pass

_PLACES = {
    "snakestudio.control.authoring": ("AngleController", "AngleGait"),
    "snakestudio.control.base": ("OpenLoop",),
    "snakestudio.control.set_points": ("SetPoints",),
    "snakestudio.control.state_equations": (
        "OscillatorController",
        "OscillatorFields",
        "StateController",
        "check_reach",
        "integrate",
        "pitch_effects",
    ),
    "snakestudio.engines.base": ("Engine",),
    "snakestudio.engines.chain_engine": ("ChainEngine", "chain"),
    "snakestudio.engines.time_stepping": ("TimeSteppingEngine",),
    "snakestudio.errors": ("Fix", "Problem", "SceneError"),
    "snakestudio.kinds.controller": ("ControllerKind", "Curve", "JointMarks", "Plot", "Said"),
    "snakestudio.kinds.formulation": ("FormulationKind",),
    "snakestudio.kinds.gait": ("GaitKind",),
    "snakestudio.kinds.reads": ("EVERY_MODEL", "LINKS"),
    "snakestudio.model.controllers": ("ControllerFields",),
    "snakestudio.model.events": ("RunEvent",),
    "snakestudio.model.fields": ("Frozen", "value"),
    "snakestudio.model.formulations": ("ModelFields",),
    "snakestudio.model.motion": ("GaitFields",),
    "snakestudio.model.obstacles.shape": ("Obstacle", "ShapeFields", "ShapeKind"),
    "snakestudio.model.obstacles.solids": ("Block", "Post"),
    "snakestudio.model.quantities": ("Piece", "Quantity"),
    "snakestudio.model.recording": ("Recording", "Rows", "Schema"),
    "snakestudio.model.reference": ("JointReference",),
    "snakestudio.model.scene": ("Scene",),
    "snakestudio.model.snapshot": ("Fields", "Snapshot"),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [  # noqa: PLE0604
    "PLUGIN_API",
    *sorted(_MODULES),
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        from importlib import import_module

        found = getattr(import_module(_MODULES[name]), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'snakestudio.plugin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
