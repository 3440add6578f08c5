"""Notes on omissions and approximations of an import, grouped by kind, with their effects as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from snakestudio.robot_files.reading import names_text


class Effect(StrEnum):
    """Kind of a difference between the robot of a file and that of the scene."""

    BODIES_LEFT_OUT = "bodies left out"
    """Bodies whose mass is not in the scene."""

    JOINTS_LEFT_OUT = "joints left out"
    """Joints that the scene's robot does not have."""

    MASSES_CHOSEN = "masses chosen"
    """Masses that the file does not have."""

    INERTIA_CHANGED = "inertia changed"
    """Amount: largest change of a moment of inertia, kg m^2."""

    MASS_MOVED = "mass moved"
    """Amount: mass times distance, kg m."""

    JOINT_MOVED = "joint moved"
    """Amount: distance from the axis in the file, m."""

    AXIS_TURNED = "axis turned"
    """Amount: angle to the direction in the file, rad."""


@dataclass(frozen=True, slots=True)
class Change:
    """An effect of a note on masses, axes or the pose at rest."""

    effect: Effect
    amount: float = 0.0
    """In the unit of the effect."""

    bodies: tuple[int, ...] = ()
    """0-based indices of the bodies concerned in the description of the file."""

    joints: tuple[str, ...] = ()
    """Names of the joints concerned."""


class Notes:
    """Sentences about elements of a robot file; a sentence about many elements is written once.

    Attributes
    ----------
    changes : list of Change
        Effects of all notes.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, list[tuple[str, str]]] = {}
        self.changes: list[Change] = []

    def add(self, where: str, text: str, kind: str = "", *changes: Change) -> None:
        """Add a note about an element.

        Parameters
        ----------
        where : str
            Name of the element in the file; "" for the whole robot.
        text : str
            Omission or approximation, with its value; begins in lower case for an
            element.
        kind : str
            Key for grouping notes; the text if omitted.
        *changes : Change
            Effects on masses, axes and the pose at rest.
        """
        self._kinds.setdefault(kind or text, []).append((where, text))
        self.changes += changes

    def update(self, others: Notes) -> None:
        """Add all notes of another collection."""
        for kind, entries in others._kinds.items():
            self._kinds.setdefault(kind, []).extend(entries)
        self.changes += others.changes

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each kind."""
        result = []
        for entries in self._kinds.values():
            names = list(dict.fromkeys(where for where, _ in entries if where))
            where, text = entries[0]
            if len(names) < 2:
                result.append(f"{where}: {text}." if where else f"{text}.")
            else:
                same = len({text for _, text in entries}) == 1
                others = names_text(names[1:])
                result.append(
                    f"{where}: {text}; {'the same applies to' if same else 'similarly'} {others}."
                )
        return tuple(result)
