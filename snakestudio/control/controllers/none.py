"""No controller: the joints follow the gait."""

from __future__ import annotations

from snakestudio.control.set_points import SetPoints
from snakestudio.kinds.controller import ControllerKind
from snakestudio.model.controllers import GaitAlone

KIND = ControllerKind(
    fields=GaitAlone,
    make=SetPoints,
    title="None: the gait alone",
    help="The joints follow the gait without feedback.",
    place=0,
)
