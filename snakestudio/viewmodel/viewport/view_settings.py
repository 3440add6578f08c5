"""What the viewport shows beside the scene and how things are moved in it, as the user chose it."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quantities import QUANTITIES
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.scene import Scene

SCALES = {"forces": "force_scale", "friction": "friction_scale", "ground_forces": "ground_scale"}
"""What has arrows, and which of `ViewSettings` says how long they are."""

TRAIL_MIDDLE = -1
"""`ViewSettings.trail_link` for the middle link, however many there are."""

MODES = ("move", "turn", "scale")
"""What the gizmo does, in the order in which a key goes through them."""


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """The choices."""

    forces: bool = True
    friction: bool = False
    """`forces` and `friction`: arrows of the obstacles' forces and of the friction forces."""

    force_scale: float = 0.03
    friction_scale: float = 0.06
    """`force_scale` and `friction_scale`: length of an arrow, m/N; on a continuous body, whose
    forces may be anything, in units of what suits its run."""

    ground_forces: bool = True
    """Arrows of what the ground does to a robot that it carries: reaction and friction."""

    ground_scale: float = 0.005
    """Length of those, m/N: of both the same, so that they add up to what one sees."""

    trail: bool = True
    trail_link: int = TRAIL_MIDDLE
    """0-based link whose trail is drawn, or `TRAIL_MIDDLE`."""

    path: bool = True
    contact_points: bool = False
    centre_of_mass: bool = False
    joint_axes: bool = False
    reference_ghost: bool = False
    grid: bool = True
    see_through: bool = False
    drafting: bool = True
    """Rulers and dimensions in the view from above."""

    body_quantity: str = "torque"
    """What a continuous body is coloured by, a key of `quantities.QUANTITIES`; "" for its own
    colour."""

    support_torques: bool = False
    """Arrows of the torques of what holds a continuous body; 1 N m is as long as 10 N."""

    def overlays(self, scene: Scene) -> Overlays:
        """What they mean to the renderer in pictures of a scene (trail, selection and hover come from elsewhere)."""
        return Overlays(
            show_forces=self.forces,
            show_friction_forces=self.friction,
            force_scale=self.force_scale,
            friction_scale=self.friction_scale,
            show_path=self.path,
            show_contact_points=self.contact_points,
            show_com=self.centre_of_mass,
            show_joint_axes=self.joint_axes,
            reference_ghost=self.reference_ghost,
            show_grid=self.grid,
            obstacle_opacity=0.35 if self.see_through else 1.0,
            show_support_torques=self.support_torques,
            torque_scale=10.0 * self.force_scale,
            body_quantity=self.quantity,
        ).with_ground(scene, self.ground_forces, self.ground_scale)

    @property
    def quantity(self) -> str:
        """What a continuous body is coloured by."""
        # The settings may be those of another version.
        return self.body_quantity if self.body_quantity in QUANTITIES else ""

    def trail_index(self, n_links: int) -> int | None:
        """0-based link whose trail is drawn in a robot of `n_links`; None for no trail."""
        if not self.trail or n_links < 1:
            return None
        middle = (n_links - 1) // 2
        return self.trail_link if 0 <= self.trail_link < n_links else middle


def rows_of(scene: Scene) -> tuple[str, ...]:
    """What there is to be explained in pictures of a scene."""
    rows = []
    if scene.obstacles or scene.body.strained:  # which supports may hold
        rows.append("forces")
    if scene.model.spatial:
        rows += ["ground_forces", "ground_friction"]
    elif FORMULATIONS[scene.model.kind].friction_arrows:
        rows.append("friction")
    return (*rows, "trail")


@dataclass(frozen=True, slots=True)
class EditSettings:
    """How things are moved: the gizmo, and what is snapped to."""

    gizmo: bool = True
    """Whether it is shown."""

    mode: str = "move"
    """One of `MODES`."""

    on: bool = False
    """Whether moving snaps; holding Ctrl inverts it."""

    grid: bool = True
    grid_m: float = 0.05
    angles: bool = True
    angle_deg: float = 15.0
    factors: bool = True
    """`grid`, `angles` and `factors`: whether places go to a grid, angles and factors in steps."""

    factor: float = 0.1
    """`grid_m`, `angle_deg` and `factor`: the steps."""

    objects: bool = True
    """Whether edges and middles go to those of other obstacles."""
