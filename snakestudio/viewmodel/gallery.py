"""Gallery entries of bundled scenes, read from the head of each file without building the scene."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.paths import main_scene, resource, scenes_dir
from snakestudio.viewmodel.papers import cited

_PAPER = re.compile(r"\bP\d\b")


@dataclass(frozen=True, slots=True)
class Entry:
    """Bundled scene."""

    path: Path
    title: str
    source: str
    """Paper and figure of the scene."""

    description: str
    """Description with what to observe."""

    model: str
    """Short name of the model."""

    papers: tuple[str, ...]
    """Papers that the source names, such as "P2"."""

    def picture(self, theme: str) -> Path:
        """Return the image for the palette `theme`."""
        return resource("gallery", f"{self.path.stem}-{theme}.png")


@lru_cache(maxsize=1)
def entries() -> tuple[Entry, ...]:
    """Return all bundled scenes: the main example, those of the papers in their order, and the others."""
    read = [_entry(path) for path in sorted(scenes_dir().glob("*.toml"))]
    return tuple(sorted(read, key=_order))


def _order(entry: Entry) -> tuple[bool, bool, str, str]:
    return entry.path != main_scene(), not entry.source.startswith("P"), entry.source, entry.title


def _entry(path: Path) -> Entry:
    text = tomllib.loads(path.read_text(encoding="utf-8"))
    source = str(text["source"])
    papers = tuple(dict.fromkeys(_PAPER.findall(source)))
    model = FORMULATIONS[text["model"]["kind"]].short
    return Entry(
        path, str(text["title"]), source, " ".join(str(text["description"]).split()), model, papers
    )


def matches(entry: Entry, query: str, paper: str = "", model: str = "") -> bool:
    """Return whether an entry contains all words of a query and has the paper and model ("" for any)."""
    if (paper and paper not in entry.papers) or (model and model != entry.model):
        return False
    sources = f"{entry.source} {cited(entry.source)}"
    text = f"{entry.title} {sources} {entry.model} {entry.path.stem} {entry.description}".casefold()
    return all(term in text for term in query.casefold().split())
