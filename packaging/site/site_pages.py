"""Sphinx extension: includes files of the repository and tables generated from the program's declarations.

A line `<!-- generated: NAME -->` in a page is replaced by the result of the function NAME of
`reference`, a line `<!-- file: PATH -->` by a file of the repository. A page named "index" is the
start of a section: the pages linked in its lists are in the navigation. Nothing is written to
``docs``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path, PurePosixPath
from typing import Any

import reference
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

logger = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parent.parent.parent

_GENERATED = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)
_FILE = re.compile(r"^<!-- file: ([\w./-]+) -->.*\Z", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"^(?:-|\d+\.) \[[^]]+\]\(([\w./-]+)\.md\)", re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?")

PAGES = {
    "ARCHITECTURE.md": "explanation/architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "explanation/code-of-conduct.md",
    "CONTRIBUTING.md": "explanation/contributing.md",
    "README.md": "index.md",
    "README.md#how-to-cite": "bibliography.md",
    "SECURITY.md": "explanation/security.md",
    "docs/decisions": "explanation/index.md",
}
"""Locations on the site of files of the repository that are not at the same place."""


def markdown_of(name: str, text: str) -> str:
    """Return the source of a page as Sphinx reads it.

    Parameters
    ----------
    name : str
        The page's file below ``docs``, without ".md".
    """
    text = _GENERATED.sub(lambda mark: _generated(mark[1]), text)
    folder = PurePosixPath("docs", name).parent
    source = folder
    if name.endswith("/index") and "{toctree}" not in text:
        text += _navigation(text, folder)
    if mark := _FILE.search(text):
        text = (ROOT / mark[1]).read_text(encoding="utf-8")
        source = PurePosixPath(mark[1]).parent
    return _LINK.sub(lambda link: _link(source / link[1], link[2] or "", folder), text)


def _generated(name: str) -> str:
    function = getattr(reference, name, None)
    if function is None:
        raise ExtensionError(
            f'There is no reference "{name}". Name a function of {reference.__file__}.'
        )
    text: str = function()
    return text


def _navigation(text: str, folder: PurePosixPath) -> str:
    """Return the pages of a section: those linked in the lists of its start page, then the rest in order of mention."""
    listed = _ENTRY.findall(text)
    others = [path.stem for path in sorted((ROOT / folder).glob("*.md")) if path.stem != "index"]
    places = {page: text.find(f"({page}.md") for page in others if page not in listed}
    mentioned = sorted((page for page in places if places[page] >= 0), key=places.__getitem__)
    pages = [*listed, *mentioned, *(page for page in places if places[page] < 0)]
    return "\n".join(("", "", "```{toctree}", ":hidden:", "", *pages, "```", ""))


def _link(target: PurePosixPath, anchor: str, folder: PurePosixPath) -> str:
    """Return the link target of a repository file from a page in `folder`, or its replacement on the site."""
    target = PurePosixPath(os.path.normpath(target))
    for known in (f"{target}{anchor}", str(target)):
        if known in PAGES:
            target = PurePosixPath("docs", PAGES[known])
            anchor = ""
            break
    return os.path.relpath(target, folder) + anchor


def _on_source_read(app: Sphinx, name: str, source: list[str]) -> None:
    source[0] = markdown_of(name, source[0])


_LOADED = re.compile(r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=\"(https?:[^\"]+)")
_PARTS = ("furo", "sphinx", "sphinx-basic-ng", "sphinx-copybutton", "sphinx-design", "pygments")
"""Packages whose styles and scripts are among the site's files."""


def _on_build_finished(app: Sphinx, error: Exception | None) -> None:
    """Add the licences of the theme and its parts, and check that the site needs no network."""
    if error is None:
        for page in sorted(Path(app.outdir).rglob("*.html")):
            for address in _LOADED.findall(page.read_text(encoding="utf-8")):
                logger.warning("%s loads %s: the site has to work without a network", page, address)
        texts = [text for package in _PARTS for text in _licences(package)]
        texts.append((ROOT / "packaging/site/fonts/LICENSE-STIX.txt").read_text(encoding="utf-8"))
        (Path(app.outdir) / "third-party.txt").write_text("\n\n".join(texts), encoding="utf-8")


def _licences(package: str) -> Iterator[str]:
    for file in files(package) or ():
        if re.match(r"(LICEN[CS]E|COPYING|AUTHORS)", file.name) and ".dist-info" in str(file):
            yield f"{package}: {file.name}\n\n{file.read_text(encoding='utf-8').strip()}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the extension to Sphinx's events."""
    app.connect("source-read", _on_source_read)
    app.connect("build-finished", _on_build_finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
