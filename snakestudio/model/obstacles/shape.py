"""What an obstacle shape declares of itself: all that engines, pictures, edits, panels and files know of it.

A shape is one file in `shapes/`, called as its kind is: its fields, what it is made of, and `KIND`.
What it can do follows from the names of its fields: `x_m` and `y_m` are its place, `z_m` lets it be
raised, `yaw_deg` or `heading_deg` (the direction in which it rises) lets it be turned about the
vertical, `pitch_deg` and `roll_deg` let it be tilted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """A fixed obstacle; a subclass has a `kind`, what every obstacle has, and its own values between."""

    if TYPE_CHECKING:  # fields of each subclass, in the order in which files have them
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
    """What people call it."""
    declared: str = value(
        "",
        label="Name",
        help="Name shown in the tree; numbered if left out",
        max_length=80,
        live=True,
    )
    return declared


def group() -> str:
    """What it is picked and moved with."""
    declared: str = value(
        "",
        label="Group",
        help="Obstacles of one group are picked and moved together",
        max_length=80,
        live=True,
    )
    return declared


def place(axis: str, what: str) -> float:
    """A coordinate, m."""
    declared: float = value(
        label=axis, unit="m", help=what, ge=-1e4, le=1e4, slider=(-2, 4), live=True
    )
    return declared


def size(label: str, what: str, default: float) -> float:
    """A length, m."""
    declared: float = value(
        default, label=label, unit="m", help=what, gt=0, le=1e3, slider=(0.01, 2), live=True
    )
    return declared


def angle(label: str, what: str) -> float:
    """A direction, degrees."""
    declared: float = value(
        0.0, label=label, unit="°", help=what, ge=-360, le=360, slider=(-180, 180), live=True
    )
    return declared


def friction(default: float) -> float:
    """Its surface."""
    declared: float = friction_coefficient(
        default, "Friction", "Coulomb friction coefficient of the surface", "µ"
    )
    return declared


def locked() -> bool:
    """Whether it stays."""
    declared: bool = value(
        False,
        label="Locked",
        help="Neither picked in the view nor moved, turned or deleted",
        live=True,
    )
    return declared


def hidden() -> bool:
    """Whether it is left out of pictures."""
    declared: bool = value(
        False, label="Hidden", help="Not drawn; the robot meets it all the same", live=True
    )
    return declared


# --- the declaration ------------------------------------------------------------------------------


Fit = Callable[[float], float]
"""Turns a length (m) that suits the usual robot into one that suits the scene's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrangement:
    """Obstacles that a click puts into a scene, beside one of a shape's own; of several a group is made."""

    name: str
    """Unique, for programs."""

    title: str
    help: str
    """`title` and `help`: what people call it, and what it is, in a line."""

    icon: str
    """Name of its picture."""

    place: float
    """Where it stands in menus."""

    make: Callable[[Fit, float, float], Sequence[Obstacle]]
    """Makes them around (x, y), m."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ShapeKind(FieldsDeclaration):
    """A shape of obstacles."""

    role: ClassVar[str] = "shape"
    fields_type: ClassVar[type[Frozen]] = Obstacle
    needs_defaults: ClassVar[bool] = False  # a shape stands where somebody puts it
    registry: ClassVar[Registry[Any]] = registry.SHAPES

    fields: type[Obstacle]
    """Of an entry of the scene's [[obstacles]]."""

    solids: Callable[[Any, Path | None], Sequence[Solid]]
    """What it is made of, from its fields and the folder that file names in them are relative to
    (None: the working directory). Engines collide with these, the view draws them, and its outlines
    from above are theirs."""

    title: str = ""
    help: str = ""
    """`title` and `help`: for people: "Cylinder", "An upright cylinder". From the name, and from
    the docstring of the fields, if left out."""

    mention: str = ""
    plural: str = ""
    """`mention` and `plural`: in the middle of a sentence: "a cylinder", "cylinders"; from the
    title if left out."""

    sizes: str = ""
    """How large it is, with its fields in braces."""

    place: float = 100.0
    """Where it stands in lists."""

    icon: str = "shape-box"
    """Name of its picture."""

    terrain: bool = False
    """Whether it is ground to move on rather than something to push against: robots in the plane
    cannot meet it, and it has the colour of ground. All else is a wall in the plane as long as it
    is made of posts and upright blocks."""

    steps: bool = False
    """Whether its solids are blocks, each shorter and higher than the one before, that end at the
    same place."""

    middle: Callable[[Any], float] = lambda obstacle: 0.0
    """How high the point is that it is moved, turned and scaled by, m above its `z_m`, or the
    ground."""

    scaled: Callable[[Any, float, float, float], dict[str, Any]] = lambda obstacle, x, y, z: {}
    """Its values after scaling by (x, y, z) along its own axes; see `grown`."""

    fitted: tuple[str, ...] = ()
    """Sizes that a new one has in proportion to the robot."""

    fresh: Callable[[Fit], dict[str, Any]] = lambda fit: {}
    """Other values of a new one."""

    typical: Callable[[Any], bool] = lambda obstacle: True
    """Whether a new one is made like this one."""

    arrangements: tuple[Arrangement, ...] = ()
    """What else there is to click, made of this shape."""

    files: tuple[str, ...] = ()
    """Fields that may name a file. Solids that may be read from one are not kept, and may be in
    want of it."""

    without_files: Callable[[Any], Obstacle] = lambda obstacle: obstacle
    """It, as far as its fields alone say where it lies."""

    effects: tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...] = ()
    """Fields, when they have an effect, and that in a few words."""

    def __post_init__(self) -> None:
        """Fill in what follows from the rest."""
        title = self.title or titled(self.kind_name)
        word = title.lower()
        for key, text in {
            "title": title,
            "help": self.help or first_line(self.fields) or title,
            "mention": self.mention or f"{'an' if word[0] in 'aeiou' else 'a'} {word}",
            "plural": self.plural or f"{word}s",
        }.items():
            object.__setattr__(self, key, text)

    @property
    def raised(self) -> bool:
        """Whether it has a height of its own; else it stands on the ground."""
        return "z_m" in self.fields.model_fields

    @property
    def turn_key(self) -> str:
        """The field that says how it is turned about the vertical; "" for what is round."""
        return next(
            (key for key in ("yaw_deg", "heading_deg") if key in self.fields.model_fields), ""
        )

    @property
    def rises(self) -> bool:
        """Whether it rises in a direction."""
        return self.turn_key == "heading_deg"

    @property
    def tilts(self) -> bool:
        """Whether it can be turned about any axis; else about the vertical alone."""
        return "pitch_deg" in self.fields.model_fields


def grown(obstacle: Obstacle, **factors: float) -> dict[str, float]:
    """Those of its values that change when each is multiplied by its factor, to seven digits."""
    return {
        key: float(f"{getattr(obstacle, key) * by:.7g}") for key, by in factors.items() if by != 1.0
    }


class ShapeFields(Obstacle):
    """What every obstacle has, for a shape to begin with; `kind` and its own values follow."""

    name: str = name()
    group: str = group()
    x_m: float = value(0.0, label="x", unit="m", help="Position, x", ge=-1e4, le=1e4)
    y_m: float = value(0.0, label="y", unit="m", help="Position, y", ge=-1e4, le=1e4)
    friction: float = friction(0.0)
    locked: bool = locked()
    hidden: bool = hidden()


def stand_in(name: str) -> ShapeKind:
    """What is used for a shape of a plug-in that is not loaded: a small post marks its position."""
    title = f"{titled(name)} (plug-in)"
    text = "The plug-in that has it is not loaded."
    return ShapeKind(
        fields=unchecked_fields(name, ShapeFields), solids=_marker, title=title, help=text
    )


def _marker(obstacle: Obstacle, base_dir: Path | None) -> list[Solid]:
    return [Post(obstacle.x_m, obstacle.y_m, 0.02, 0.0, 0.05)]


SHAPES: Registry[ShapeKind] = registry.SHAPES
"""All shapes by `obstacle.kind`."""


def shape_of(obstacle: Obstacle) -> ShapeKind:
    """What is declared of an obstacle's shape."""
    return SHAPES[obstacle.kind]


def files_of(obstacle: Obstacle) -> dict[str, str]:
    """Names of files that an obstacle refers to, by the fields that hold them."""
    return {
        key: named
        for key in shape_of(obstacle).files
        if (named := getattr(obstacle, key)) is not None
    }


def obstacle_solids(obstacle: Obstacle, base_dir: Path | None = None) -> list[Solid]:
    """The bodies of one obstacle.

    Raises `SceneError` if what it refers to (the table or the picture of a height field) cannot be
    used.

    Parameters
    ----------
    base_dir : Path or None
        Folder that file names in the scene are relative to.
    """
    kind = shape_of(obstacle)
    return list(kind.solids(obstacle, base_dir) if kind.files else _kept(obstacle))


@by_identity
def _kept(obstacle: Obstacle) -> tuple[Solid, ...]:
    """The bodies of an obstacle that says everything itself; kept, so nothing of them may be written to."""
    solids = tuple(shape_of(obstacle).solids(obstacle, None))
    for solid in solids:
        for part in solid:
            if isinstance(part, np.ndarray):
                part.setflags(write=False)
    return solids
