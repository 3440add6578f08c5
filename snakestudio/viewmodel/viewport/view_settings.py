"""User settings of the viewport: additional content and editing of the scene."""

from __future__ import annotations

from dataclasses import dataclass

from snakestudio.drawing.overlays import Overlays
from snakestudio.drawing.quantities import QUANTITIES
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.scene import Scene

SCALES = {"forces": "force_scale", "friction": "friction_scale", "ground_forces": "ground_scale"}
"""Content with arrows, and the field of `ViewSettings` with their scale."""

TRAIL_MIDDLE = -1
"""Value of `ViewSettings.trail_link` for the middle link of any robot."""

MODES = ("move", "turn", "scale")
"""Modes of the gizmo, in the order in which a key cycles through them."""


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """Settings of the content of the viewport."""

    forces: bool = True
    """Whether to show arrows of obstacle forces."""

    friction: bool = False
    """Whether to show arrows of friction forces."""

    force_scale: float = 0.03
    """Length of an arrow of a force at an obstacle, m/N; on a continuous body, whose forces have
    any size, relative to a length that suits its run."""

    friction_scale: float = 0.06
    """Length of an arrow of a friction force, as `force_scale`."""

    ground_forces: bool = True
    """Whether to show arrows of ground reaction and ground friction."""

    ground_scale: float = 0.005
    """Length of these arrows, m/N; equal for both, so that they can be added visually."""

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
    """Whether to show rulers and dimensions in the view from above."""

    body_quantity: str = "torque"
    """Quantity that colours a continuous body, a key of `quantities.QUANTITIES`; "" for its plain colour."""

    support_torques: bool = False
    """Whether to show arrows of torques of supports on a continuous body; 1 N m is as long as 10 N."""

    def overlays(self, scene: Scene) -> Overlays:
        """Return overlays of a scene for the renderer, without trail, selection and hover."""
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
        """Quantity that colours a continuous body."""
        # The settings may come from another version.
        return self.body_quantity if self.body_quantity in QUANTITIES else ""

    def trail_index(self, n_links: int) -> int | None:
        """Return the 0-based link whose trail is drawn in a robot of `n_links`; None for no trail."""
        if not self.trail or n_links < 1:
            return None
        middle = (n_links - 1) // 2
        return self.trail_link if 0 <= self.trail_link < n_links else middle


def rows_of(scene: Scene) -> tuple[str, ...]:
    """Return the rows of the legend for a scene."""
    rows = []
    if scene.obstacles or scene.body.strained:  # supports can hold a strained body
        rows.append("forces")
    if scene.model.spatial:
        rows += ["ground_forces", "ground_friction"]
    elif FORMULATIONS[scene.model.kind].friction_arrows:
        rows.append("friction")
    return (*rows, "trail")


@dataclass(frozen=True, slots=True)
class EditSettings:
    """Settings of editing: gizmo and snapping."""

    gizmo: bool = True
    """Whether the gizmo is shown."""

    mode: str = "move"
    """Mode of the gizmo, one of `MODES`."""

    on: bool = False
    """Whether moving snaps; holding Ctrl inverts it."""

    grid: bool = True
    """Whether positions snap to a grid."""

    grid_m: float = 0.05
    """Spacing of the grid, m."""

    angles: bool = True
    """Whether angles snap to steps."""

    angle_deg: float = 15.0
    """Step of angles, degrees."""

    factors: bool = True
    """Whether factors snap to steps."""

    factor: float = 0.1
    """Step of factors."""

    objects: bool = True
    """Whether edges and middles snap to those of other obstacles."""
