"""Templates of plug-ins: a working kind with comments on what to change."""

from __future__ import annotations

from pathlib import Path

from snakestudio.errors import PluginError
from snakestudio.paths import resource
from snakestudio.plugins.named import problem_of_name
from snakestudio.text import sentences

ROLES = (
    "controller",
    "gait",
    "formulation",
    "shape",
    "reduction",
    "filter",
    "quantity",
    "export",
    "firmware",
)
"""Roles of kinds that a plug-in can add."""


def new_plugin(role: str, path: Path, *, force: bool = False) -> str:
    """Write a template of a plug-in, whose kind is named after the file.

    Raises `PluginError` if the file cannot be written or its name is not valid.

    Parameters
    ----------
    role : str
        One of `ROLES`.
    path : Path
        File to write, which ends in ".py".
    force : bool
        Whether to replace an existing file.

    Returns
    -------
    str
        Text of the file.
    """
    if role not in ROLES:
        raise PluginError(f'There is no template for "{role}". Choose one of {", ".join(ROLES)}.')
    if path.suffix != ".py":
        raise PluginError(
            f'{path}: This is not the name of a Python file. Give a name that ends in ".py".'
        )
    if problem := problem_of_name(path.name):
        raise PluginError(f"{path}: {sentences(*problem)}")
    name = path.stem.lower().lstrip("_")
    if not name or not name[0].isalpha():
        raise PluginError(
            f"{path}: {path.stem} is not a valid name of a kind. Begin the name with a letter."
        )
    template = resource("plugin_templates", f"{role}.txt").read_text(encoding="utf-8")
    class_name = "".join(part.capitalize() for part in name.split("_"))
    text = template.replace("NAME", name).replace("FILE", path.name)
    text = text.replace("NameFields", f"{class_name}Fields").replace("(Name)", f"({class_name})")
    for before, after in (
        ("class Name(", f"class {class_name}("),
        ("=Name,", f"={class_name},"),
        ("=Name)", f"={class_name})"),
    ):
        text = text.replace(before, after)
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise PluginError(
            f"{path} already exists. Give --force to replace it, or give another name."
        ) from None
    except OSError as error:
        raise PluginError(
            f"{path} cannot be written ({error.strerror}). Choose another folder."
        ) from None
    return text
