"""What moves the robot, as far as every scene knows it; each formulation declares the rest in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from snakestudio.model.fields import Frozen, value

__all__ = ["ModelFields", "PlanarNonsmooth"]


class ModelFields(Frozen):
    """The scene's [model] table; a subclass has a `kind` and the values of that formulation."""

    if TYPE_CHECKING:  # a field of each subclass, in its own place
        kind: str

    body: ClassVar[Literal["chain", "continuous"]] = "chain"
    """Whether the robot has links with a gait, or a continuous body with a strain law."""

    spatial: ClassVar[bool] = False
    """Whether a chain moves in space, with pitch in its joints."""

    @model_serializer(mode="wrap")
    def _with_kind(self, values: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Also where defaults are left out: saved states know their scene by what differs from them.
        return {"kind": self.kind, **values(self)}

    @property
    def continuum(self) -> bool:
        """Whether the robot is a continuous body with a strain law, not links with a gait."""
        return self.body == "continuous"

    @property
    def planar(self) -> bool:
        """Whether links stay flat on the ground."""
        return not (self.continuum or self.spatial)


class PlanarNonsmooth(ModelFields):
    """What a scene is computed with that does not say so."""

    kind: Literal["planar_nonsmooth"] = value(
        "planar_nonsmooth", label="Model", help="Formulation of the dynamics: paper P2"
    )
