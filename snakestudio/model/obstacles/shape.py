"""Declaration of an obstacle shape, the only source for engines, drawing, edits, panels and files.

A shape is one file in `shapes/`, named after its kind: its fields, its solids, and `KIND`. Its
abilities follow from the names of its fields: `x_m` and `y_m` are its position, with `z_m` it can be
raised, with `yaw_deg` or `heading_deg` (the direction in which it rises) it can be turned about the
vertical, with `pitch_deg` and `roll_deg` it can be tilted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from snakestudio.model import registry
from snakestudio.model.by_identity import by_identity
from snakestudio.model.fields import Frozen, value
from snakestudio.model.obstacles.solids import Post, Solid
from snakestudio.model.registry import (
    FieldsDeclaration,
    Registry,
    first_line,
    titled,
    unchecked_fields,
)
from snakestudio.model.shared_values import friction_coefficient


class Obstacle(Frozen):
    """Fixed obstacle; each subclass adds a `kind`, the common fields, and its own values."""

    if TYPE_CHECKING:  # fields of each subclass, in the order of files
        kind: str
        name: str
        group: str
        x_m: float
        y_m: float
        friction: float
        locked: bool
        hidden: bool


# --- fields that shapes share ---------------------------------------------------------------------


def name() -> str:
    """Return the name for users."""
    declared: str = value(
        "",
        label="Name",
        help="Name shown in the tree; numbered if omitted",
        max_length=80,
        live=True,
    )
    return declared


def group() -> str:
    """Return the group for selection and movement."""
    declared: str = value(
        "",
        label="Group",
        help="Obstacles of a group are selected and moved together",
        max_length=80,
        live=True,
    )
    return declared


def place(axis: str, what: str) -> float:
    """Return the coordinate, m."""
    declared: float = value(
        label=axis, unit="m", help=what, ge=-1e4, le=1e4, slider=(-2, 4), live=True
    )
    return declared


def size(label: str, what: str, default: float) -> float:
    """Return the length, m."""
    declared: float = value(
        default, label=label, unit="m", help=what, gt=0, le=1e3, slider=(0.01, 2), live=True
    )
    return declared


def angle(label: str, what: str) -> float:
    """Return the direction, degrees."""
    declared: float = value(
        0.0, label=label, unit="°", help=what, ge=-360, le=360, slider=(-180, 180), live=True
    )
    return declared


def friction(default: float) -> float:
    """Return the friction coefficient of the surface."""
    declared: float = friction_coefficient(
        default, "Friction", "Coulomb friction coefficient of the surface", "µ"
    )
    return declared


def locked() -> bool:
    """Return whether the obstacle is protected from changes."""
    declared: bool = value(
        False,
        label="Locked",
        help="Locked obstacles cannot be selected in the viewport, moved, turned or deleted",
        live=True,
    )
    return declared


def hidden() -> bool:
    """Return whether the obstacle is not drawn."""
    declared: bool = value(
        False, label="Hidden", help="Hidden obstacles are not drawn but still collide", live=True
    )
    return declared


# --- the declaration ------------------------------------------------------------------------------


Fit = Callable[[float], float]
"""Scales a length (m) that suits the default robot to the scene's robot."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrangement:
    """Obstacles inserted by one click, in addition to a single one of a shape; several form a group."""

    name: str
    """Unique identifier."""

    title: str
    """Name for users."""

    help: str
    """Description in one line."""

    icon: str
    """Name of its icon."""

    place: float
    """Position in menus: entries are sorted by it."""

    make: Callable[[Fit, float, float], Sequence[Obstacle]]
    """Creates the obstacles around (x, y), m."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ShapeKind(FieldsDeclaration):
    """Shape of obstacles."""

    role: ClassVar[str] = "shape"
    fields_type: ClassVar[type[Frozen]] = Obstacle
    needs_defaults: ClassVar[bool] = False  # users choose the position of a shape
    registry: ClassVar[Registry[Any]] = registry.SHAPES
    calls: ClassVar[Mapping[str, str]] = {
        "solids": "obstacle, base_dir",
        "middle": "obstacle",
        "scaled": "obstacle, x, y, z",
        "fresh": "fit",
        "typical": "obstacle",
        "without_files": "obstacle",
    }

    fields: type[Obstacle]
    """Class of the entries of the scene's [[obstacles]]."""

    solids: Callable[[Any, Path | None], Sequence[Solid]]
    """Solids of an obstacle, from its fields and the folder that its file names are relative to (None:
    the working directory). Engines collide with these solids, the viewport draws them, and outlines
    from above derive from them."""

    title: str = ""
    """Name for people: "Cylinder"; by default from the name of the kind."""

    help: str = ""
    """Text for people: "An upright cylinder"; by default from the docstring of the fields."""

    mention: str = ""
    """Name in the middle of a sentence: "a cylinder"; by default from the title."""

    plural: str = ""
    """Plural in the middle of a sentence: "cylinders"; by default from the title."""

    sizes: str = ""
    """Description of its size, with its fields in braces."""

    place: float = 100.0
    """Position in lists: entries are sorted by it."""

    icon: str = "shape-box"
    """Name of its icon."""

    terrain: bool = False
    """Whether it is ground to move on rather than something to push against: planar robots cannot
    collide with it, and it has the colour of ground. Other shapes are walls for planar robots as long
    as their solids are posts, upright blocks, or upright prisms with a rectangular outline."""

    steps: bool = False
    """Whether its solids are blocks that each are shorter and higher than the one before and end at
    the same position."""

    middle: Callable[[Any], float] = lambda obstacle: 0.0
    """Height of the reference point for moving, turning and scaling above its `z_m`, or above the
    ground, m."""

    scaled: Callable[[Any, float, float, float], dict[str, Any]] = lambda obstacle, x, y, z: {}
    """Changed values after scaling by (x, y, z) along its own axes; see `grown`."""

    fitted: tuple[str, ...] = ()
    """Sizes that are proportional to the robot in a new obstacle."""

    fresh: Callable[[Fit], dict[str, Any]] = lambda fit: {}
    """Other values of a new obstacle."""

    typical: Callable[[Any], bool] = lambda obstacle: True
    """Whether a new obstacle copies the sizes of this one."""

    arrangements: tuple[Arrangement, ...] = ()
    """Further menu entries made of this shape."""

    files: tuple[str, ...] = ()
    """Fields that can contain a file name. Solids that can depend on a file are not cached, and their
    file can be missing."""

    without_files: Callable[[Any], Obstacle] = lambda obstacle: obstacle
    """The obstacle with the extent given by its fields alone, without files."""

    effects: tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...] = ()
    """Fields, the condition under which they have an effect, and that condition in words."""

    def __post_init__(self) -> None:
        """Derive the omitted texts."""
        title = self.title or titled(self.kind_name)
        noun = title.lower()
        for key, text in {
            "title": title,
            "help": self.help or first_line(self.fields) or title,
            "mention": self.mention or f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}",
            "plural": self.plural or f"{noun}s",
        }.items():
            object.__setattr__(self, key, text)

    @property
    def raised(self) -> bool:
        """Whether it has a height field; otherwise it is on the ground."""
        return "z_m" in self.fields.model_fields

    @property
    def turn_key(self) -> str:
        """Field of the rotation about the vertical; "" if it is round."""
        return next(
            (key for key in ("yaw_deg", "heading_deg") if key in self.fields.model_fields), ""
        )

    @property
    def rises(self) -> bool:
        """Whether it rises in a direction."""
        return self.turn_key == "heading_deg"

    @property
    def tilts(self) -> bool:
        """Whether it can be turned about any axis; otherwise only about the vertical."""
        return "pitch_deg" in self.fields.model_fields


def grown(obstacle: Obstacle, **factors: float) -> dict[str, float]:
    """Return the values that change if each is multiplied by its factor, rounded to seven digits."""
    return {
        key: float(f"{getattr(obstacle, key) * by:.7g}") for key, by in factors.items() if by != 1.0
    }


class ShapeFields(Obstacle):
    """Common fields of obstacles that a shape starts with; `kind` and its own values follow."""

    name: str = name()
    group: str = group()
    x_m: float = value(0.0, label="x", unit="m", help="Position, x", ge=-1e4, le=1e4)
    y_m: float = value(0.0, label="y", unit="m", help="Position, y", ge=-1e4, le=1e4)
    friction: float = friction(0.0)
    locked: bool = locked()
    hidden: bool = hidden()


def stand_in(name: str) -> ShapeKind:
    """Substitute for a shape of a plug-in that is not loaded: a small post marks its position."""
    title = f"{titled(name)} (plug-in)"
    text = "The plug-in that provides this shape is not loaded."
    return ShapeKind(
        fields=unchecked_fields(name, ShapeFields), solids=_marker, title=title, help=text
    )


def _marker(obstacle: Obstacle, base_dir: Path | None) -> list[Solid]:
    return [Post(obstacle.x_m, obstacle.y_m, 0.02, 0.0, 0.05)]


SHAPES: Registry[ShapeKind] = registry.SHAPES
"""All shapes by `obstacle.kind`."""


def shape_of(obstacle: Obstacle) -> ShapeKind:
    """Return the declaration of an obstacle's shape."""
    return SHAPES[obstacle.kind]


def files_of(obstacle: Obstacle) -> dict[str, str]:
    """Return the names of files that an obstacle uses, by field."""
    return {
        key: named
        for key in shape_of(obstacle).files
        if (named := getattr(obstacle, key)) is not None
    }


def obstacle_solids(obstacle: Obstacle, base_dir: Path | None = None) -> list[Solid]:
    """Return the solids of one obstacle.

    Raises `SceneError` if a file that it uses (the table or the image of a height field) is unusable.


    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    kind = shape_of(obstacle)
    return list(kind.solids(obstacle, base_dir) if kind.files else _cached_solids(obstacle))


@by_identity
def _cached_solids(obstacle: Obstacle) -> tuple[Solid, ...]:
    """Return the solids of an obstacle that uses no files; cached, so read-only."""
    solids = tuple(shape_of(obstacle).solids(obstacle, None))
    for solid in solids:
        for part in solid:
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
    return solids
