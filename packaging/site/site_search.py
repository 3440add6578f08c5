"""Check of the search: the scripts of the built site rank the page that answers a query first.

The scripts run in the engine of Qt, as in a browser but without a page.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QLoggingCategory
from PySide6.QtQml import QJSEngine
from sphinx.application import Sphinx
from sphinx.util import logging

ANSWERS = {
    "contact force": "reference/columns",
    "own reward": "tutorials/own-task",
    "import urdf": "tutorials/robot-from-urdf",
    "fit friction": "tutorials/fit-friction",
    "time step": "step-size",
    "exit codes": "cli",
    "make a video": "video",
    "streaming": "streaming",
    "scene keys": "reference/scene-keys",
    "many simulations": "batch",
    "friction": "friction",
    "robot profile": "robot-profile",
    "train policy": "tutorials/train-a-policy",
    "pattern generator": "cpg",
    "simulate": "python/api",
}
"""Page that must be the first result of a query."""

_SCRIPTS = ("doctools.js", "sphinx_highlight.js", "language_data.js", "searchtools.js")
"""Scripts of the search page in `_static`, in its order."""

_BROWSER = """
var document = {
  readyState: "loading", addEventListener: () => {}, getElementById: () => null,
  documentElement: {dataset: {}},
};
var localStorage = {setItem: () => {}, getItem: () => null, removeItem: () => {}};
var DOCUMENTATION_OPTIONS = {};
window.location = {search: ""};
function URLSearchParams(query) { this.get = () => query; }
// The expression of Sphinx has classes of characters that this engine does not know.
var splitQuery = (query) => query.split(/[^A-Za-z0-9_\\u00c0-\\uffff]+/g).filter((term) => term);
"""
"""What the scripts use of a browser."""

_RANK = """
window.rank = (query) => {
  window.location.search = query;
  const results = Search._performSearch(...Search._parseQuery(query));
  return JSON.stringify(results.reverse().map((result) => result[0]));
};
"""

log = logging.getLogger(__name__)


def ranking(site: Path) -> Callable[[str], list[str]]:
    """Return the search of the site in a folder: a function from a query to the pages of its results, in their order.

    Raises `ValueError` with the reason if its scripts cannot run.
    """
    application = QCoreApplication.instance() or QCoreApplication([])
    QLoggingCategory.setFilterRules("qt.qml.usedbeforedeclared=false")
    engine = QJSEngine()
    engine.globalObject().setProperty("window", engine.globalObject())
    texts = [(site / "_static" / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    _evaluate(engine, "\n;".join((_BROWSER, *texts, index, _RANK)))

    def ranked(query: str) -> list[str]:
        assert application is not None
        pages: list[str] = json.loads(_evaluate(engine, f"rank({json.dumps(query)})"))
        return pages

    return ranked


def _evaluate(engine: QJSEngine, text: str) -> str:
    result = engine.evaluate(text)
    if result.isError():
        raise ValueError(f"{result.toString()} in line {result.property('lineNumber').toInt()}")
    return result.toString()


def misranked(ranked: Callable[[str], list[str]], answers: dict[str, str]) -> list[str]:
    """Return a message for each query whose first result is another page."""
    messages = []
    for query, page in answers.items():
        pages = ranked(query)
        if pages[:1] != [page]:
            first = ", ".join(pages[:3]) or "nothing"
            messages.append(f'The search for "{query}" finds {first} first, and not {page}.')
    return messages


def check(app: Sphinx, error: Exception | None) -> None:
    """Warn of each query whose first result is another page."""
    if error is None and app.builder.name == "html":
        for message in misranked(ranking(Path(app.outdir)), ANSWERS):
            log.warning("%s", message)


def setup(app: Sphinx) -> dict[str, Any]:
    """Check the search of each site that is built."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
