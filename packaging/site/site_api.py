"""Sphinx extension: entries of the Python API from docstrings, and links to them from the text of all pages."""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes
from pydantic import BaseModel
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

MODULES = {
    "ss.": "snakestudio.",
    "snakestudio.": "snakestudio.",
    "sim.": "snakestudio.Simulation.",
    "sim.state.": "snakestudio.State.",
    "batch.": "snakestudio.Batch.",
    "batch.state.": "snakestudio.api.batch_state.BatchState.",
    "run.": "snakestudio.Run.",
    "study.": "snakestudio.Study.",
    "": "snakestudio.plugin.",
}
"""Names of entries by the beginning of code in a text; the longest that fits counts. Variables are those of the
examples."""

_CALL = re.compile(r"([A-Za-z_][\w.]*)(?:\(.*\)|=.*)?", re.DOTALL)
_UNLINKED_PARTS = (nodes.title, nodes.reference, nodes.literal_block)


def entry_of(code: str, entries: set[str]) -> str | None:
    """Return the name of the API entry that inline code names; None if there is none.

    Parameters
    ----------
    code : str
        `ss.simulate(scene)`, `sim.step` or `Contacts`, for example.
    entries : set of str
        Full names of all entries.
    """
    match = _CALL.fullmatch(code)
    if match is None:
        return None
    is_word = match[1] == code and "." not in code and not code[:1].isupper()
    for start in sorted(MODULES, key=len, reverse=True):
        if match[1].startswith(start) and not (is_word and not start):  # `value` is a word, too
            name = MODULES[start] + match[1].removeprefix(start)
            if name in entries:
                return name
    if match[1][:1].isupper():  # a class: `Contacts`, `TaskState.time`
        fitting = [name for name in entries if name.endswith(f".{match[1]}")]
        return min(fitting, key=len, default=None)
    return None


class _Links(SphinxPostTransform):
    """Turns inline code that names an entry of the API into a link to it."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Replace the nodes of one page."""
        objects = self.env.domains.python_domain.objects
        entries = set(objects)
        for literal in list(self.document.findall(nodes.literal)):
            if self._inside(literal):
                continue
            name = entry_of(literal.astext(), entries)
            if name is None or name == self._described(literal):
                continue
            target = objects[name]
            link = make_refnode(
                self.app.builder,
                self.env.current_document.docname,
                target.docname,
                target.node_id,
                literal.deepcopy(),
            )
            literal.replace_self(link)

    @staticmethod
    def _inside(node: nodes.Node) -> bool:
        parent = node.parent
        while parent is not None:
            if isinstance(parent, _UNLINKED_PARTS):
                return True
            parent = parent.parent
        return False

    @staticmethod
    def _described(node: nodes.Node) -> str:
        """Return the name of the entry in whose own text a node is."""
        parent = node.parent
        while parent is not None:
            if parent.tagname == "desc":
                signature = parent[0]
                return str(signature["ids"][0]) if signature.get("ids") else ""
            parent = parent.parent
        return ""


def _text_of_attribute(self: GoogleDocstring) -> list[str]:
    """Return the docstring of an attribute as it is: the first words before a colon are not its type."""
    return self._consume_to_end()


def _on_signature(
    app: Sphinx,
    what: str,
    name: str,
    thing: Any,
    options: Any,
    signature: str | None,
    annotation: str | None,
) -> tuple[str | None, str | None] | None:
    """Omit arguments of classes that users do not create: parts of scenes, and results of functions."""
    if what != "class":
        return None
    text = inspect.getdoc(thing) or ""
    if issubclass(thing, BaseModel) or len(getattr(thing, "__dataclass_fields__", ())) > 6:
        return "", None
    if name.startswith("snakestudio.api."):
        return "", None
    if "Parameters\n---" not in text and "." not in name.removeprefix("snakestudio."):
        return "", None
    return None


def _on_doctree(app: Sphinx, document: nodes.document) -> None:
    """Write a dash between an argument and its description, and types without links to unrelated entries."""
    for text in list(document.findall(nodes.Text)):
        if str(text) == " -- ":
            text.parent.replace(text, nodes.Text(" – "))
    for link in list(document.findall(addnodes.pending_xref)):
        # Sphinx looks up each word of a type, and would find `n` in "(n, 3) array".
        if link["refdomain"] == "py" and link["reftarget"][:1].islower():
            link.replace_self(link.children)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the extension to Sphinx's events."""
    GoogleDocstring._parse_attribute_docstring = _text_of_attribute  # type: ignore[method-assign]
    app.connect("autodoc-process-signature", _on_signature)
    app.connect("doctree-read", _on_doctree)
    app.add_post_transform(_Links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
