"""Base declarations of closed-loop controllers; each controller declares its own values in a separate file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from snakestudio.model.fields import Frozen, value


class ControllerFields(Frozen):
    """The scene's [controller] table; each subclass adds a `kind` and its values."""

    if TYPE_CHECKING:  # each subclass declares this field itself
        kind: Any

    uses: ClassVar[tuple[str, ...]] = ("gait",)
    """Parts of the scene that the controller uses: "gait", "strain", "path"."""

    acts: ClassVar[bool] = True
    """Whether it changes the joint references of the gait."""

    @property
    def uses_gait(self) -> bool:
        """Whether the gait contributes to the joint references."""
        return "gait" in self.uses


class GaitAlone(ControllerFields):
    """No feedback: the joints follow the gait."""

    acts = False

    kind: Literal["none"] = value(
        "none", label="Controller", help="The joints follow the gait without feedback"
    )
