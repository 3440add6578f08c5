"""Base declarations of formulations of the dynamics; each formulation declares the rest in its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from snakestudio.model.body import Body, ChainBody
from snakestudio.model.fields import Frozen, value


class ModelFields(Frozen):
    """The scene's [model] table; each subclass adds a `kind` and its values."""

    if TYPE_CHECKING:  # each subclass declares this field itself
        kind: str

    body: ClassVar[type[Body]] = ChainBody
    """Class of the body that the formulation moves."""

    spatial: ClassVar[bool] = False
    """Whether a chain moves in space, with pitch in its joints."""

    @model_serializer(mode="wrap")
    def _with_kind(self, values: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Also if defaults are omitted: saved states identify their scene by the values that differ from defaults.
        return {"kind": self.kind, **values(self)}


class PlanarNonsmooth(ModelFields):
    """Default formulation of a scene."""

    kind: Literal["planar_nonsmooth"] = value(
        "planar_nonsmooth", label="Model", help="Formulation of the dynamics: paper P2"
    )
