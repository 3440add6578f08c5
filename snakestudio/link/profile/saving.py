"""A profile and its DBC written together: both or, as far as a file system can promise that, neither."""

from __future__ import annotations

from pathlib import Path

from snakestudio.errors import Problem, ProfileError
from snakestudio.link.profile.loading import dump_profile
from snakestudio.link.profile.schema import Profile
from snakestudio.model.atomic import write_atomically

__all__ = ["save_both"]


def save_both(profile: Profile, dbc_text: str, path: Path, base: str | None = None) -> str:
    """Write a profile and its DBC beside it; what they replace stays as ``NAME.toml~`` and ``NAME.dbc~``.

    The DBC goes first: a profile that speaks of signals which its DBC does not have yet would be of no use.

    Parameters
    ----------
    profile : Profile
    dbc_text : str
    path : Path
        Of the profile; the DBC's name stands in it.
    base : str, optional
        TOML text whose comments and layout stay.

    Returns
    -------
    str
        The TOML text that was written.

    Raises
    ------
    ProfileError
        If one of them cannot be written; the old ones are untouched then.
    """
    text = dump_profile(profile, base)
    files = [(path.parent / profile.dbc, dbc_text.encode("utf-8", errors="surrogateescape")), (path, text.encode())]
    for file, data in files:
        try:
            old = file.read_bytes() if file.is_file() else None
            if old == data:
                continue
            if old is not None:
                write_atomically(file.with_name(file.name + "~"), old)
            write_atomically(file, data)
        except OSError as error:
            remedy = "save under another name" if file.parent.is_dir() else "make its folder first"
            problem = Problem("error", "", f"{file} cannot be written ({error.strerror})", remedy)
            raise ProfileError(problem.sentence(), [problem]) from None
    return text
