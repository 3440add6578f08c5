from __future__ import annotations

from collections.abc import Callable

import pytest

from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import LoadedProfile, load_profile


@pytest.fixture(scope="session")
def shipped() -> Callable[[str], LoadedProfile]:
    """Return a shipped profile by name, read once."""
    read: dict[str, LoadedProfile] = {}

    def get(name: str) -> LoadedProfile:
        if name not in read:
            read[name] = load_profile(find_profile(name))
        return read[name]

    return get
