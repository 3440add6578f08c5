"""What the viewport shows beside the robot and the world: selection, forces, trails, ghosts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from snakestudio._arrays import BoolArray, FloatArray
from snakestudio.drawing.gizmo import Gizmo, Guide
from snakestudio.drawing.style import Colour
from snakestudio.model.body import Body
from snakestudio.model.ground_path import GroundPath
from snakestudio.model.scene import Scene


@dataclass(frozen=True, slots=True)
class Pick:
    """A thing in the scene, as hit by the mouse or selected."""

    kind: str
    """"link", "obstacle" or "ground"."""

    index: int = -1
    """0-based link or obstacle; -1 for the ground."""

    point: tuple[float, float, float] | None = field(default=None, compare=False)
    """Where it was hit, world frame, m; not part of the identity."""


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """The way a point took."""

    points: FloatArray
    """Oldest first, m; a NaN breaks the line. Shape (m, 3)."""

    colour: Colour | None = None
    """None for the theme's accent."""

    width: float = 2.5
    """Width in pixels of a picture 720 pixels high."""


@dataclass(frozen=True, slots=True, eq=False)
class Ghost:
    """A translucent robot."""

    pose: FloatArray
    """As `Snapshot.link_pose`. Shape (n, 7)."""

    colour: Colour | None = None
    """None for the theme's ghost colour."""

    opacity: float = 0.35
    body: Body | None = None
    """Whose parts they are; None for the scene's."""


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A line through places, whole where they were measured and dashed where they were not, and points on it."""

    points: FloatArray
    """m; a NaN breaks the line. Shape (m, 3)."""

    colour: Colour
    dashed: BoolArray | None = None
    """Which pieces of the line are dashed and fainter; None for none of them. Shape (m - 1,)."""

    width: float = 2.5
    """Width in pixels of a picture 720 pixels high."""

    opacity: float = 0.9
    marks: FloatArray | None = None
    """Places of points that stand out, m; one with a NaN is not drawn. Shape (k, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class PullMark:
    """A hand's force on a link."""

    point: FloatArray
    """Where it holds the link, world frame, m. Shape (3,)."""

    force: FloatArray
    """N. Shape (3,)."""

    target: FloatArray | None = None
    """Where the hand is, m; None if it is not there any more, as in a recorded run. Shape (3,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Overlays:
    """What to show; the default is a plain picture."""

    show_forces: bool = True
    show_friction_forces: bool = False
    show_ground_normal_forces: bool = False
    """`show_forces`, `show_friction_forces` and `show_ground_normal_forces`: arrows of the
    obstacles' normal forces, of all friction forces, of the ground's normal forces."""

    force_scale: float = 0.005
    friction_scale: float = 0.06
    """`force_scale` and `friction_scale`: length of an arrow, m/N; friction is an order of
    magnitude smaller, so it has its own."""

    ground_scale: float = 0.005
    """The same of the ground's normal forces, which carry the whole robot."""

    force_minimum: float = 0.05
    """Weaker forces are not drawn, N."""

    trail: FloatArray | tuple[Trail, ...] | None = None
    """Shape (m, 3)."""

    selection: tuple[Pick, ...] = ()
    """Outlined in the accent colour."""

    hover: Pick | None = None
    """Outlined faintly."""

    warned: tuple[Pick, ...] = ()
    """Outlined in the colour of warnings, unless selected: what cannot be where it is."""

    ghosts: tuple[Ghost, ...] = ()
    tracks: tuple[Track, ...] = ()
    """Measured ways, where the robot was by then, and how far that is from the simulated one."""

    reference_ghost: bool = False
    """Ghost of the shape the joints were told to take."""

    stale: bool = False
    """The robot is drawn in grey: this is how it was, and nothing is known of it at present."""

    show_contact_points: bool = False
    show_com: bool = False
    show_joint_axes: bool = False
    show_grid: bool = True
    show_grid_labels: bool = True
    show_triad: bool = True
    show_path: bool = True
    """The path on the ground, and the points that guide a robot that follows it."""

    draft: GroundPath | None = None
    """A path that is being drawn, instead of the scene's."""

    waypoint: int = -1
    """0-based waypoint that stands out; -1: none."""

    corner: int = -1
    """0-based corner that stands out, counted through all patches of the ground; -1: none."""

    patch: int = -1
    """0-based patch of the ground that is selected; -1: none."""

    gizmo: Gizmo | None = None
    """Handles around what is selected, over everything else."""

    guides: tuple[Guide, ...] = ()
    """What something that is being moved was snapped to."""

    obstacle_opacity: float = 1.0
    """Below 1 the robot shows through the obstacles."""

    body_quantity: str = ""
    """What a continuous body is coloured by, a key of `quantities.QUANTITIES`; "" for its own
    colour."""

    body_range: tuple[float, float] | None = None
    """Values at the ends of the colours, SI; None for those of this instant."""

    stretch_scale: float | None = None
    """By how much changes of a continuous body's radius are exaggerated (1: not at all); None so
    that those of this instant can be seen."""

    bar_top: float = 0.0
    """Distance of the colour bar from the upper edge as a share of the picture's height."""

    show_support_torques: bool = False
    """Arrows with two heads for the torques of anchors and supports."""

    torque_scale: float = 0.1
    """Length of such an arrow, m/(N m)."""

    pull: PullMark | None = None
    travelled: FloatArray | None = None
    """How far each link has rolled along its own axis, m: by that its wheels have turned. Shape
    (n,)."""

    def with_ground(self, scene: Scene, shown: bool, scale: float) -> Overlays:
        """The same with what the ground does to a robot that it carries, friction too, if that is to be `shown`.

        Only models in space know with what forces it carries; where it only resists, nothing
        changes.

        Parameters
        ----------
        scale : float
            Length of an arrow, m/N: of both, so that reaction and friction can be compared.
        """
        if not shown or not scene.model.spatial:
            return self
        return replace(
            self,
            show_ground_normal_forces=True,
            show_friction_forces=True,
            ground_scale=scale,
            friction_scale=scale,
        )
