"""Overlays of the viewport: selection, forces, trails, ghosts and so on."""

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
    """An object in the scene under the cursor or in the selection."""

    kind: str
    """"link", "obstacle" or "ground"."""

    index: int = -1
    """0-based link or obstacle; -1 for the ground."""

    point: tuple[float, float, float] | None = field(default=None, compare=False)
    """Point under the cursor, world frame, m; not part of the identity."""


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """The path of a point."""

    points: FloatArray
    """Oldest first, m; a NaN breaks the line. Shape (m, 3)."""

    colour: Colour | None = None
    """None for the theme's accent."""

    width: float = 2.5
    """Width in pixels of a frame 720 pixels high."""


@dataclass(frozen=True, slots=True, eq=False)
class Ghost:
    """A translucent robot."""

    pose: FloatArray
    """As `Snapshot.link_pose`. Shape (n, 7)."""

    colour: Colour | None = None
    """None for the theme's ghost colour."""

    opacity: float = 0.35
    body: Body | None = None
    """Body of the robot; None for that of the scene."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredLine:
    """A line through measured positions, dashed across gaps, with marked points."""

    points: FloatArray
    """m; a NaN breaks the line. Shape (m, 3)."""

    colour: Colour
    dashed: BoolArray | None = None
    """Mask of the dashed, fainter segments; None for none. Shape (m - 1,)."""

    width: float = 2.5
    """Width in pixels of a frame 720 pixels high."""

    opacity: float = 0.9
    marks: FloatArray | None = None
    """Positions of highlighted points, m; points with NaN are not drawn. Shape (k, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class PullMark:
    """A pull of the user on a link."""

    point: FloatArray
    """Point of application on the link, world frame, m. Shape (3,)."""

    force: FloatArray
    """Force, N. Shape (3,)."""

    target: FloatArray | None = None
    """Position of the cursor, m; None if unknown, as in a recorded run. Shape (3,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Overlays:
    """Overlay settings; the default shows none."""

    show_forces: bool = True
    """Whether to draw arrows of the normal forces of obstacles."""

    show_friction_forces: bool = False
    """Whether to draw arrows of all friction forces."""

    show_ground_normal_forces: bool = False
    """Whether to draw arrows of the normal forces of the ground."""

    force_scale: float = 0.005
    """Length of an arrow of normal forces, m/N."""

    friction_scale: float = 0.06
    """Length of an arrow of friction, which is an order of magnitude smaller, m/N."""

    ground_scale: float = 0.005
    """Arrow scale of normal forces of the ground, which carry the whole robot, m/N."""

    force_minimum: float = 0.05
    """Smallest drawn force, N."""

    trail: FloatArray | tuple[Trail, ...] | None = None
    """Shape (m, 3)."""

    selection: tuple[Pick, ...] = ()
    """Outlined in the accent colour."""

    hover: Pick | None = None
    """Outlined faintly."""

    warned: tuple[Pick, ...] = ()
    """Objects at invalid positions, outlined in the warning colour unless selected."""

    ghosts: tuple[Ghost, ...] = ()
    tracks: tuple[MeasuredLine, ...] = ()
    """Measured tracks, the measured position at the current time, and its deviation from the simulation."""

    reference_ghost: bool = False
    """Whether to show a ghost at the joint references."""

    stale: bool = False
    """Whether to draw the robot in grey, because its present state is unknown."""

    show_contact_points: bool = False
    show_com: bool = False
    show_joint_axes: bool = False
    show_grid: bool = True
    show_grid_labels: bool = True
    show_triad: bool = True
    show_path: bool = True
    """Whether to show the path on the ground and the guide points of path following."""

    draft: GroundPath | None = None
    """Path that is being drawn, instead of that of the scene."""

    waypoint: int = -1
    """Highlighted waypoint, 0-based; -1: none."""

    corner: int = -1
    """Highlighted corner, 0-based, counted through all patches of the ground; -1: none."""

    patch: int = -1
    """Selected patch of the ground, 0-based; -1: none."""

    gizmo: Gizmo | None = None
    """Handles of the selection, over everything else."""

    guides: tuple[Guide, ...] = ()
    """Snapping guides of the moved object."""

    obstacle_opacity: float = 1.0
    """Opacity of obstacles; below 1 the robot is visible through them."""

    body_quantity: str = ""
    """Quantity that colours a continuous body, a key of `quantities.QUANTITIES`; "" for its own
    colour."""

    body_range: tuple[float, float] | None = None
    """Values at the ends of the colours, SI; None for the range of this instant."""

    stretch_scale: float | None = None
    """Exaggeration factor of radius changes of a continuous body (1: none); None for an automatic
    factor."""

    bar_top: float = 0.0
    """Distance of the colour bar from the upper edge as a fraction of the frame height."""

    show_support_torques: bool = False
    """Whether to show double-headed arrows of the torques of anchors and supports."""

    torque_scale: float = 0.1
    """Scale of these arrows, m/(N m)."""

    pull: PullMark | None = None
    travelled: FloatArray | None = None
    """Distance that each link has rolled along its axis, m, for the rotation of wheels. Shape
    (n,)."""

    def with_ground(self, scene: Scene, visible: bool, scale: float) -> Overlays:
        """Return overlays with the ground's normal and friction forces, if `visible`.

        Only spatial models have normal forces of the ground; for other models nothing
        changes.

        Parameters
        ----------
        scale : float
            Arrow scale of both, m/N, so that normal force and friction can be compared.
        """
        if not visible or not scene.model.spatial:
            return self
        return replace(
            self,
            show_ground_normal_forces=True,
            show_friction_forces=True,
            ground_scale=scale,
            friction_scale=scale,
        )
