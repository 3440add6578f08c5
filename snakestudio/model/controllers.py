"""What closes the loop over the gait, as far as every scene knows it; each controller declares the rest in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from snakestudio.model.fields import Frozen, value


class ControllerFields(Frozen):
    """The scene's [controller] table; a subclass has a `kind` and the values of that kind."""

    if TYPE_CHECKING:  # a field of each subclass, in its own place
        kind: Any

    uses: ClassVar[tuple[str, ...]] = ("gait",)
    """Parts of the scene that have an effect beside it: "gait", "strain", "path"."""

    acts: ClassVar[bool] = True
    """Whether it has a say in what the joints do, beside the gait's."""

    @property
    def uses_gait(self) -> bool:
        """Whether the gait has a part in what the joints do."""
        return "gait" in self.uses


class GaitAlone(ControllerFields):
    """No feedback: the joints follow the gait."""

    acts = False

    kind: Literal["none"] = value(
        "none", label="Controller", help="The joints do what the gait says, whatever happens"
    )
