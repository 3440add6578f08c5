"""What is wrong or doubtful in a scene, in words that name the key, its value and the remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Problem", "Severity"]

Severity = Literal["error", "warning", "hint"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding about a scene.

    Attributes
    ----------
    severity : {"error", "warning", "hint"}
        An error keeps the scene from running; the others do not.
    key : str
        Dotted scene key, for example ``obstacles[2].radius_m`` (1-based as shown to users); may be empty.
    message : str
        What is wrong, with the value, ending without a full stop.
    remedy : str
        What to do about it, ending without a full stop.
    obstacles, links : tuple of int
        0-based indices of what the finding is about, for highlighting.
    """

    severity: Severity
    key: str
    message: str
    remedy: str
    obstacles: tuple[int, ...] = ()
    links: tuple[int, ...] = ()

    def sentence(self) -> str:
        """The finding as one sentence."""
        head = f"{self.key}: " if self.key else ""
        tail = f"; {self.remedy}" if self.remedy else ""
        return f"{head}{self.message}{tail}."
