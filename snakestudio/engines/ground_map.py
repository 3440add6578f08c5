"""The ground friction of a scene for compiled loops: tables, polygons, formulas and an image as arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import FormulaError
from snakestudio.kernels import formula_program as op
from snakestudio.kernels.ground_patches import GroundMap
from snakestudio.model.formula import Formula
from snakestudio.model.ground_friction import (
    FACTOR_NAMES,
    LOAD_NAMES,
    axial_friction,
    friction_factor,
    ground_friction,
    is_one,
    link_positions,
    load_factor,
    patched_ground,
    picture_values,
)
from snakestudio.model.scene import Scene
from snakestudio.model.world import GroundPicture

_FUNCTIONS = {
    "sin": op.SIN,
    "cos": op.COS,
    "tan": op.TAN,
    "asin": op.ASIN,
    "acos": op.ACOS,
    "atan": op.ATAN,
    "sinh": op.SINH,
    "cosh": op.COSH,
    "tanh": op.TANH,
    "exp": op.EXP,
    "log": op.LOG,
    "Abs": op.ABS,
    "bump_0": op.BUMP,
    "rise_0": op.RISE,
}

_NO_PROGRAM = np.zeros((0, 4))


def make_ground_map(scene: Scene, base_dir: Path | None = None) -> GroundMap:
    """Return the ground of `scene` for the links of its robot; file names are relative to `base_dir`.

    Raises `SceneError` if the friction image cannot be used.
    """
    return _ground_map(
        scene, base_dir, axial_friction(scene.robot, scene.ground), link_positions(scene.robot)
    )


def make_body_ground_map(scene: Scene, base_dir: Path | None = None) -> GroundMap:
    """Return the ground of `scene` for a continuous body, which has no links and whose first point is the head.

    Raises `SceneError` if the friction image cannot be used.
    """
    ground = scene.ground
    grounds = [ground, *(patched_ground(ground, patch) for patch in ground.patch)]
    return _ground_map(
        scene, base_dir, np.array([[ground_friction(each)] for each in grounds]), np.zeros(0)
    )


def varies(ground: GroundMap) -> bool:
    """Return whether friction or load vary with the position, along the body or in time."""
    return any(
        len(part) > 0 for part in (ground.patches, ground.load, ground.factor, ground.picture)
    )


def _ground_map(
    scene: Scene, base_dir: Path | None, friction: FloatArray, position: FloatArray
) -> GroundMap:
    ground = scene.ground
    picture = picture_values(scene.ground, base_dir)
    corners = [np.array(patch.points_m) for patch in ground.patch]
    behind = np.cumsum([len(points) for points in corners])
    patches = np.zeros((len(corners), 6))
    for row, points, end in zip(patches, corners, behind, strict=True):
        row[:] = *points.min(axis=0), *points.max(axis=0), end - len(points), end
    return GroundMap(
        friction=friction,
        patches=patches,
        corners=np.concatenate([np.zeros((0, 2)), *corners]),
        position=position,
        load=load_program(scene),
        factor=factor_program(scene),
        picture=picture,
        frame=_frame(ground.picture, picture.shape[1]),
    )


def _frame(picture: GroundPicture, columns: int) -> FloatArray:
    """Return `GroundMap.frame` of an image with this number of columns."""
    yaw = math.radians(picture.yaw_deg)
    density = columns / picture.width_m
    return np.array(
        [
            picture.x_m,
            picture.y_m,
            math.cos(yaw),
            math.sin(yaw),
            density,
            picture.black,
            picture.white,
        ]
    )


def load_program(scene: Scene) -> FloatArray:
    """Return the program (m, 4) of `ground.load_factor`, a function of X and t; of length 0 if it is 1."""
    ground = scene.ground
    return (
        _NO_PROGRAM
        if is_one(ground.load_factor)
        else formula_program(load_factor(ground), tuple(LOAD_NAMES))
    )


def factor_program(scene: Scene) -> FloatArray:
    """Return the program (m, 4) of `ground.friction_factor`, a function of t, x and y; of length 0 if it is 1."""
    ground = scene.ground
    if is_one(ground.friction_factor):
        return _NO_PROGRAM
    return formula_program(friction_factor(ground), tuple(FACTOR_NAMES))


def formula_program(formula: Formula, names: tuple[str, ...]) -> FloatArray:
    """Return a formula as a program, (m, 4), for `evaluate_program`.

    Raises `FormulaError` if it has a part that is not supported in programs.

    Parameters
    ----------
    names : tuple of str
        Its variables in the order of the program's arguments; three at most.
    """
    lines: list[tuple[float, float, float, float]] = []
    known: dict[Any, int] = {}

    def add(kind: int, left: float = 0.0, right: float = 0.0) -> int:
        lines.append((float(kind), float(left), float(right), 0.0))
        return len(lines) - 1

    def of(expression: Any) -> int:
        if expression not in known:
            known[expression] = _added(expression, add, of, names)
        return known[expression]

    of(formula.expression)
    return np.array(lines)


def _added(expression: Any, add: Any, of: Any, names: tuple[str, ...]) -> int:
    """Append the operations of an expression; return the index of its result."""
    line: int
    if expression.is_Symbol:
        line = add(op.VARIABLE, names.index(expression.name))
    elif expression.is_number:
        line = add(op.NUMBER, float(expression))
    elif expression.is_Add or expression.is_Mul:
        first, *others = (of(part) for part in expression.args)
        line = first
        for other in others:
            line = add(op.ADD if expression.is_Add else op.MULTIPLY, line, other)
    elif expression.is_Pow and expression.exp == 0.5:
        line = add(op.SQRT, of(expression.base))
    elif expression.is_Pow:
        line = add(op.POWER, of(expression.base), of(expression.exp))
    elif expression.func.__name__ in _FUNCTIONS:
        line = add(_FUNCTIONS[expression.func.__name__], of(expression.args[0]))
    else:
        raise FormulaError(f"'{expression}' cannot be used here", "rewrite the formula without it")
    return line
