"""What moves the robot, as far as every scene knows it; each formulation declares the rest in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from snakestudio.model.body import Body, ChainBody
from snakestudio.model.fields import Frozen, value


class ModelFields(Frozen):
    """The scene's [model] table; a subclass has a `kind` and the values of that formulation."""

    if TYPE_CHECKING:  # a field of each subclass, in its own place
        kind: str

    body: ClassVar[type[Body]] = ChainBody
    """What it moves."""

    spatial: ClassVar[bool] = False
    """Whether a chain moves in space, with pitch in its joints."""

    @model_serializer(mode="wrap")
    def _with_kind(self, values: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Also where defaults are left out: saved states know their scene by what differs from them.
        return {"kind": self.kind, **values(self)}


class PlanarNonsmooth(ModelFields):
    """What a scene is computed with that does not say so."""

    kind: Literal["planar_nonsmooth"] = value(
        "planar_nonsmooth", label="Model", help="Formulation of the dynamics: paper P2"
    )
