"""What a window hands over to the link's process at its start."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from snakestudio.link.profile.loading import LoadedProfile, read_dbc
from snakestudio.link.profile.schema import Profile


@dataclass(frozen=True, slots=True)
class Setup:
    """What a link needs to know at its start, as the window hands it over."""

    profile: str
    """The profile (with the chosen bus) as JSON."""

    dbc: str
    """Text of its DBC."""

    path: str
    """File of the profile, for sentences; "" if it was never one."""

    memory: str
    """Its handle."""

    @classmethod
    def to_hand(cls, loaded: LoadedProfile, memory: str) -> Setup:
        """For a profile and the handle of the shared memory."""
        return cls(
            loaded.profile.model_dump_json(), loaded.dbc_text, str(loaded.path or ""), memory
        )

    def loaded(self) -> LoadedProfile:
        """The profile again."""
        profile = Profile.model_validate_json(self.profile)
        return LoadedProfile(
            profile,
            read_dbc(self.dbc, profile.dbc),
            Path(self.path) if self.path else None,
            self.dbc,
        )

    def text(self) -> str:
        """As JSON."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def of(cls, text: str | bytes) -> Setup:
        """The one that `text` was made of."""
        return cls(**json.loads(text))
