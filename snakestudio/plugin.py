"""Interface for authors of plug-ins, in one module.

A plug-in is a Python file that declares `KIND`, or several kinds in `KINDS`, with the declarations
below, as the built-in kinds do. Names are loaded when they are first used.

>>> from snakestudio.plugin import AngleGait, GaitFields, GaitKind, value
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snakestudio.plugins.loading import PLUGIN_API

if TYPE_CHECKING:
    from snakestudio.analysis.signals.functions import FilterKind
    from snakestudio.analysis.signals.reductions import ReductionKind
    from snakestudio.control.authoring import AngleController, AngleGait
    from snakestudio.control.base import OpenLoop
    from snakestudio.control.set_points import SetPoints
    from snakestudio.control.state_equations import (
        OscillatorController,
        OscillatorFields,
        StateController,
        check_reach,
        integrate,
        pitch_effects,
    )
    from snakestudio.engines.base import Engine
    from snakestudio.engines.chain_engine import ChainEngine, chain
    from snakestudio.engines.time_stepping import TimeSteppingEngine
    from snakestudio.errors import Fix, Problem, SceneError
    from snakestudio.export.format_options import export_option
    from snakestudio.export.formats import ExportKind
    from snakestudio.kinds.controller import ControllerKind, Curve, JointMarks, Plot, Said
    from snakestudio.kinds.formulation import FormulationKind
    from snakestudio.kinds.gait import GaitKind
    from snakestudio.kinds.reads import EVERY_MODEL, LINKS
    from snakestudio.link.emulator.body import Body
    from snakestudio.link.emulator.firmware.generic import GenericNode, Rules
    from snakestudio.link.emulator.firmware.registry import FirmwareKind
    from snakestudio.link.emulator.node import Node
    from snakestudio.link.frame import Frame
    from snakestudio.link.profile.loading import LoadedProfile
    from snakestudio.model.controllers import ControllerFields
    from snakestudio.model.events import RunEvent
    from snakestudio.model.fields import Frozen, value
    from snakestudio.model.formulations import ModelFields
    from snakestudio.model.motion import GaitFields
    from snakestudio.model.obstacles.shape import Obstacle, ShapeFields, ShapeKind
    from snakestudio.model.obstacles.solids import Block, Post, Prism, Relief, turned
    from snakestudio.model.piece import Piece
    from snakestudio.model.quantities import Quantity, each_joint, each_link, each_section
    from snakestudio.model.recording import Recording, Rows, Schema
    from snakestudio.model.reference import JointReference
    from snakestudio.model.scene import Scene
    from snakestudio.model.snapshot import Fields, Snapshot

_PLACES = {
    "snakestudio.analysis.signals.functions": ("FilterKind",),
    "snakestudio.analysis.signals.reductions": ("ReductionKind",),
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
    "snakestudio.export.format_options": ("export_option",),
    "snakestudio.export.formats": ("ExportKind",),
    "snakestudio.kinds.controller": ("ControllerKind", "Curve", "JointMarks", "Plot", "Said"),
    "snakestudio.kinds.formulation": ("FormulationKind",),
    "snakestudio.kinds.gait": ("GaitKind",),
    "snakestudio.kinds.reads": ("EVERY_MODEL", "LINKS"),
    "snakestudio.link.emulator.body": ("Body",),
    "snakestudio.link.emulator.firmware.generic": ("GenericNode", "Rules"),
    "snakestudio.link.emulator.firmware.registry": ("FirmwareKind",),
    "snakestudio.link.emulator.node": ("Node",),
    "snakestudio.link.frame": ("Frame",),
    "snakestudio.link.profile.loading": ("LoadedProfile",),
    "snakestudio.model.controllers": ("ControllerFields",),
    "snakestudio.model.events": ("RunEvent",),
    "snakestudio.model.fields": ("Frozen", "value"),
    "snakestudio.model.formulations": ("ModelFields",),
    "snakestudio.model.motion": ("GaitFields",),
    "snakestudio.model.obstacles.shape": ("Obstacle", "ShapeFields", "ShapeKind"),
    "snakestudio.model.obstacles.solids": ("Block", "Post", "Prism", "Relief", "turned"),
    "snakestudio.model.piece": ("Piece",),
    "snakestudio.model.quantities": ("Quantity", "each_joint", "each_link", "each_section"),
    "snakestudio.model.recording": ("Recording", "Rows", "Schema"),
    "snakestudio.model.reference": ("JointReference",),
    "snakestudio.model.scene": ("Scene",),
    "snakestudio.model.snapshot": ("Fields", "Snapshot"),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "EVERY_MODEL",
    "LINKS",
    "PLUGIN_API",
    "AngleController",
    "AngleGait",
    "Block",
    "Body",
    "ChainEngine",
    "ControllerFields",
    "ControllerKind",
    "Curve",
    "Engine",
    "ExportKind",
    "Fields",
    "FilterKind",
    "FirmwareKind",
    "Fix",
    "FormulationKind",
    "Frame",
    "Frozen",
    "GaitFields",
    "GaitKind",
    "GenericNode",
    "JointMarks",
    "JointReference",
    "LoadedProfile",
    "ModelFields",
    "Node",
    "Obstacle",
    "OpenLoop",
    "OscillatorController",
    "OscillatorFields",
    "Piece",
    "Plot",
    "Post",
    "Prism",
    "Problem",
    "Quantity",
    "Recording",
    "ReductionKind",
    "Relief",
    "Rows",
    "Rules",
    "RunEvent",
    "Said",
    "Scene",
    "SceneError",
    "Schema",
    "SetPoints",
    "ShapeFields",
    "ShapeKind",
    "Snapshot",
    "StateController",
    "TimeSteppingEngine",
    "chain",
    "check_reach",
    "each_joint",
    "each_link",
    "each_section",
    "export_option",
    "integrate",
    "pitch_effects",
    "turned",
    "value",
]


if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> Any:
        # Lazy: a plug-in that adds a gait loads no compiler.
        if name in _MODULES:
            from importlib import import_module

            value = getattr(import_module(_MODULES[name]), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'snakestudio.plugin' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
