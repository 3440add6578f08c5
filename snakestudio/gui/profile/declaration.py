"""Declaration of the editor of robot profiles."""

from __future__ import annotations

from snakestudio.gui.core.feature import Feature
from snakestudio.gui.profile.commands import PROFILE, ProfileContext

FEATURE: Feature[ProfileContext] = Feature(commands={"profile": PROFILE})
