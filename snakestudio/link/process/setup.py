"""Data that the window passes to the link's process at its start."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from snakestudio.link.profile.loading import LoadedProfile, read_dbc
from snakestudio.link.profile.schema import Profile


@dataclass(frozen=True, slots=True)
class Setup:
    """Data that a link needs at its start."""

    profile: str
    """The profile (with the chosen bus) as JSON."""

    dbc: str
    """Text of the DBC."""

    path: str
    """File of the profile, for messages; "" if it has none."""

    memory: str
    """Handle of the shared memory."""

    @classmethod
    def to_hand(cls, loaded: LoadedProfile, memory: str) -> Setup:
        """Return the setup for a profile and the handle of the shared memory."""
        return cls(
            loaded.profile.model_dump_json(), loaded.dbc_text, str(loaded.path or ""), memory
        )

    def loaded(self) -> LoadedProfile:
        """Return the profile with its DBC."""
        profile = Profile.model_validate_json(self.profile)
        return LoadedProfile(
            profile,
            read_dbc(self.dbc, profile.dbc),
            Path(self.path) if self.path else None,
            self.dbc,
        )

    def text(self) -> str:
        """Return the setup as JSON."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def of(cls, text: str | bytes) -> Setup:
        """Return the setup of a JSON text."""
        return cls(**json.loads(text))
