"""Declaration of the editor of robot profiles."""

from __future__ import annotations

from snakestudio.gui.core.feature import Feature, Parts
from snakestudio.gui.profile.commands import PROFILE, ProfileContext, prepare_for_robot


def _make(c: ProfileContext) -> Parts:
    """Prepare the windows that an armed robot needs once a robot is connected."""
    c.robot_controller.changed.connect(lambda: prepare_for_robot(c))
    return ()


FEATURE: Feature[ProfileContext] = Feature(commands={"profile": PROFILE}, make=_make)
