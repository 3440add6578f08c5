"""Sphinx extension: formulas become MathML, which browsers draw themselves, with no script and no network."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def _visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(f'<span class="math">{convert(node.astext())}</span>')
    raise nodes.SkipNode


def _visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    anchor = f' id="equation-{node["label"]}"' if node.get("label") else ""
    formula = convert(node.astext(), display="block")
    translator.body.append(f'<div class="math"{anchor}>{formula}{number}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
