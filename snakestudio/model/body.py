"""Body of a robot: links connected by joints, or the cross-sections of a continuous rod.

`Scene.body` is one of the two. Code that depends on the kind of body queries its attributes;
drawing and input of a body are in the layers above, which choose by its class in one place each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.model.by_identity import by_identity
from snakestudio.model.motion import PlacedStart, Start
from snakestudio.model.obstacles.outlines import Outline
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.overrides import AXES
from snakestudio.model.robot.robot import Axis, Robot
from snakestudio.model.robot.support import Support
from snakestudio.model.rotations import matrices
from snakestudio.model.snapshot import Snapshot


class PartSizes(NamedTuple):
    """Sizes of the capsules that represent the parts of a body, (n,) arrays, m."""

    radius: FloatArray
    half_length: FloatArray
    """Distance from a capsule's middle to the centre of either round end."""

    middle: FloatArray
    """Offset of the middle along the part's x axis, from the part's position, which is that of its
    centre of mass."""

    def of(self, n: int) -> PartSizes:
        """Return the sizes of n parts: a frame may still show a robot with another number of links."""
        if n == len(self.radius):
            return self
        chosen = np.minimum(np.arange(n), len(self.radius) - 1)
        return PartSizes(self.radius[chosen], self.half_length[chosen], self.middle[chosen])


class Body(ABC):
    """Properties of any body; its parts are the rows of `Snapshot.link_pose`, numbered from 0 in this order."""

    __slots__ = ()

    part_noun: ClassVar[str]
    """Noun for a part, for sentences."""

    part_name: ClassVar[str]
    """Name of a part before its number."""

    tables: ClassVar[tuple[str, ...]]
    """Tables of a scene that apply only to this kind of body."""

    jointed: ClassVar[bool]
    """Whether its parts are connected by joints, which gaits, controllers, motors and operators can
    move."""

    strained: ClassVar[bool]
    """Whether a strain law defines its shape, and internal strains and wrenches are known."""

    meets_obstacles: ClassVar[bool]
    """Whether it interacts with obstacles and paths, so that the layout around it matters."""

    @property
    @abstractmethod
    def n_parts(self) -> int:
        """Number of parts."""

    @property
    def n_joints(self) -> int:
        """Number of joints."""
        return self.n_parts - 1 if self.jointed else 0

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All joint axes, joint after joint."""
        return ()

    @property
    @abstractmethod
    def head_part(self) -> int:
        """0-based index of the part at the head."""

    @property
    @abstractmethod
    def head_last(self) -> bool:
        """Whether the head is at the end of the last part, so that x axes point forward (see `direction`)."""

    @property
    @abstractmethod
    def length(self) -> float:
        """Length of the straight body, m."""

    @property
    @abstractmethod
    def mass(self) -> float:
        """Mass of the whole body, kg."""

    @property
    def mass_shares(self) -> tuple[float, ...]:
        """Share of each part in the mass of the body; () if all links have the same mass, and for cross-sections."""
        return ()

    @property
    @abstractmethod
    def sizes(self) -> PartSizes:
        """Sizes of its parts at rest."""

    @property
    @abstractmethod
    def radius(self) -> float:
        """Largest radius of the body at rest, m."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """Largest distance of any point of a part from the part's position, m."""

    @property
    @abstractmethod
    def pointer(self) -> float:
        """Length of the line along a part's x axis that shows its direction, m; negative for the opposite direction."""

    @property
    @abstractmethod
    def abscissas(self) -> tuple[float, ...]:
        """Material abscissas of the cross-sections, m; () for links."""

    @property
    @abstractmethod
    def slides(self) -> bool:
        """Whether it slides over the ground, so that friction moves it."""

    @property
    @abstractmethod
    def in_space(self) -> bool:
        """Whether it moves in space and a start sets its height; otherwise its parts are flat on the ground."""

    def fits(self, snapshot: Snapshot) -> bool:
        """Return whether `snapshot` is a state of this body.

        After an edit the state is still that of the previous body, until the engine has the edit, or
        in a run that has begun, until it is reset.
        """
        return (
            snapshot.n_links == self.n_parts
            and len(snapshot.joint_angle) == len(self.axes)
            and (snapshot.body is None or self.strained)
        )

    @abstractmethod
    def part_title(self, index: int) -> str:
        """Return the title of a part (0-based): "Link 3, the head", "Section 1, the head · X = 0 m"."""

    @abstractmethod
    def part_entry(self, index: int) -> str:
        """Return the title of a part (0-based) in a list: "Link 3 · head", "Section 2 · X = 0.025 m"."""

    @abstractmethod
    def outlines(self, pose: FloatArray) -> tuple[Outline, ...]:
        """Return the outlines from above of its links, or between its cross-sections; unknown poses are omitted.

        Parameters
        ----------
        pose : (n, 7) array
            As in `Snapshot`.
        """

    @abstractmethod
    def start_problems(self, start: Start) -> list[Problem]:
        """Return the contradictions between a start and the body."""

    @abstractmethod
    def unplaced(self, start: Start) -> str:
        """Return the predicate for "a start ..." if this kind of start cannot place the body; "" if it can."""


@dataclass(frozen=True, slots=True)
class ChainBody(Body):
    """Chain of links."""

    robot: Robot
    in_space: bool = False
    """Whether the links move in space."""

    part_noun = "link"
    part_name = "Link"
    tables = ("gait", "controller", "joint_controller", "actuator")
    jointed = True
    strained = False
    meets_obstacles = True
    abscissas = ()
    slides = True

    @property
    def n_parts(self) -> int:
        """Number of links."""
        return self.robot.n_links

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Axes of the robot; only yaw axes if its links stay in the plane."""
        axes = self.robot.axes
        return axes if self.in_space else tuple(axis for axis in axes if axis.kind == "yaw")

    @property
    def mass_shares(self) -> tuple[float, ...]:
        """Share of each link in the mass of the robot; () if all have the same mass."""
        return self.robot.mass_shares

    @property
    def head_part(self) -> int:
        """0-based index of the head link."""
        return self.robot.head_index

    @property
    def head_last(self) -> bool:
        """Whether the head is at the end of the last link."""
        return self.robot.head == "last"

    @property
    def length(self) -> float:
        """Length from joint end to joint end, m."""
        return self.robot.length

    @property
    def mass(self) -> float:
        """Mass of all links, kg."""
        return self.robot.mass

    @property
    def sizes(self) -> PartSizes:
        """Sizes of the links."""
        return _link_sizes(self.robot)

    @property
    def radius(self) -> float:
        """Radius of the thickest link, m."""
        return float(self.sizes.radius.max())

    @property
    def reach(self) -> float:
        """Distance from a link's centre of mass to its farther end, m."""
        return float((self.sizes.radius + self.sizes.half_length + np.abs(self.sizes.middle)).max())

    @property
    def pointer(self) -> float:
        """Mean link length, m, signed towards the head: x points to the next link."""
        length = self.length / self.n_parts
        return length if self.head_last else -length

    def part_title(self, index: int) -> str:
        """Link number."""
        return f"Link {index + 1}, the head" if index == self.head_part else f"Link {index + 1}"

    def part_entry(self, index: int) -> str:
        """Link number."""
        return f"Link {index + 1} · head" if index == self.head_part else f"Link {index + 1}"

    def outlines(self, pose: FloatArray) -> tuple[Outline, ...]:
        """Return one outline for each link with a known pose."""
        finite = np.isfinite(pose).all(axis=1)
        known = pose[finite]
        if not len(known):
            return ()
        radius, half, middle = (size[finite] for size in self.sizes.of(len(pose)))
        axis = matrices(known[:, 3:])[:, :2, 0]
        centre = known[:, :2] + middle[:, None] * axis
        ends = np.stack([centre - half[:, None] * axis, centre + half[:, None] * axis], axis=1)
        return tuple(Outline(pair, float(r)) for pair, r in zip(ends, radius, strict=True))

    def start_problems(self, start: Start) -> list[Problem]:
        """Return nonexistent links, and values for a wrong number of links."""
        problems = []
        n = self.robot.n_links
        link = getattr(start, "link", 1)
        if link > n:
            problems.append(
                Problem(
                    "error",
                    "start.link",
                    f"there is no link {link}",
                    f"set it to a link from 1 to {n}",
                )
            )
        lists = {
            "joint_angles_deg": n - 1,
            "joint_pitch_deg": n - 1,
            "joint_roll_deg": n - 1,
            "link_angles_deg": n,
            "position_m": n,
            "orientation_wxyz": n,
            "velocity_m_s": n,
            "angular_velocity_rad_s": n,
        }
        for key, required in lists.items():
            listed = getattr(start, key, None)
            if listed is not None and len(listed) != required:
                of = "joint" if key.startswith("joint") else "link"
                message = f"{len(listed)} values for {required} {of}s"
                problems.append(
                    Problem("error", f"start.{key}", message, f"set one value for each {of}")
                )
        return problems or self._bends_nowhere(start)

    def _bends_nowhere(self, start: Start) -> list[Problem]:
        """Return the angles of axes that joints do not have, and contradictory angles of one axis."""
        joints = self.robot.joint_list
        first = getattr(start, "joint_angles_deg", ())
        for kind, key in zip(
            AXES, ("joint_angles_deg", "joint_pitch_deg", "joint_roll_deg"), strict=True
        ):
            for k, angle in enumerate(getattr(start, key, None) or ()):
                own = joints[k].axes
                alone = len(own) == 1
                if angle and kind not in own and not (kind == "yaw" and alone):
                    axis_list = ", ".join(own) or "none, the joint is fixed"
                    message = (
                        f"joint {k + 1} has no {kind} axis, but its initial angle is {angle:g}°"
                    )
                    return [
                        Problem(
                            "error",
                            f"start.{key}",
                            message,
                            f"set it to 0; the joint's axes are: {axis_list}",
                        )
                    ]
                if angle and kind != "yaw" and alone and first[k]:
                    message = f"joint {k + 1} only turns about {kind}, but start.joint_angles_deg also gives an angle"
                    return [
                        Problem("error", f"start.{key}", message, "set it to 0 in one of the two")
                    ]
        return []

    def unplaced(self, start: Start) -> str:
        """Empty: every start places the links."""
        return ""


@by_identity
def _link_sizes(robot: Robot) -> PartSizes:
    links = robot.links
    sizes = PartSizes(
        np.array([link.radius for link in links]),
        np.array([link.contact_half_length for link in links]),
        np.array([-link.centre_of_mass for link in links]),
    )
    for size in sizes:
        size.setflags(write=False)
    return sizes


@dataclass(frozen=True, slots=True)
class ContinuousBody(Body):
    """Rod of cross-sections, the head first."""

    beam: Beam
    support: Support
    """Contacts of the body."""

    part_noun = "cross-section"
    part_name = "Section"
    tables = ("beam", "strain", "support")
    jointed = False
    strained = True
    meets_obstacles = False
    head_part = 0
    head_last = False
    in_space = True

    @property
    def n_parts(self) -> int:
        """Number of cross-sections that are shown and recorded."""
        return self.beam.sections

    @property
    def length(self) -> float:
        """Unstrained length, m."""
        return self.beam.length_m

    @property
    def mass(self) -> float:
        """Mass of the rod, kg."""
        return self.beam.mass

    @property
    def sizes(self) -> PartSizes:
        """Sizes of the cross-sections: spheres."""
        n = self.n_parts
        return PartSizes(np.full(n, self.beam.radius_m), np.zeros(n), np.zeros(n))

    @property
    def radius(self) -> float:
        """Unstrained radius, m."""
        return self.beam.radius_m

    @property
    def reach(self) -> float:
        """More than the radius, m: a contracted body is thicker, and its ends are round."""
        return 1.5 * self.radius

    @property
    def pointer(self) -> float:
        """Two diameters, m, because the distance of cross-sections can be arbitrarily small."""
        return 4.0 * self.radius

    @property
    def abscissas(self) -> tuple[float, ...]:
        """Abscissas of the cross-sections that are shown and recorded, m."""
        return self.beam.abscissas

    @property
    def slides(self) -> bool:
        """Whether no contacts hold it."""
        return not self.support.kinematic

    def part_title(self, index: int) -> str:
        """Return the number and position of a cross-section."""
        head = ", the head" if index == self.head_part else ""
        return f"Section {index + 1}{head} · X = {self.length * index / (self.n_parts - 1):.3g} m"

    def part_entry(self, index: int) -> str:
        """Return the number and position of a cross-section."""
        label = f"X = {self.abscissas[index]:.3f} m" if index < self.n_parts else ""
        return f"Section {index + 1} · {label if index else 'head'}"

    def outlines(self, pose: FloatArray) -> tuple[Outline, ...]:
        """Return one outline between each two neighbours with known poses."""
        centre = pose[np.isfinite(pose).all(axis=1), :2]
        return tuple(Outline(centre[k : k + 2], self.radius) for k in range(len(centre) - 1))

    def start_problems(self, start: Start) -> list[Problem]:
        """Empty: a start places the whole body."""
        return []

    def unplaced(self, start: Start) -> str:
        """Return the starts that give a state or angles only place links."""
        if not isinstance(start, PlacedStart):
            return "does not place a continuous body"
        return "" if start.any_body else "gives no direction for a continuous body"
