"""Sphinx extension: formulas become MathML, which browsers draw without scripts or network access."""

from __future__ import annotations

import base64
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

FONT = Path(__file__).with_name("fonts") / "math.woff2"
"""Font with the sizes and gaps of formulas, which few systems have."""

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"

_STYLES = {
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "sans-serif": "SANS-SERIF",
}
"""Variants of letters that browsers no longer support as attributes, with their parts of Unicode character names."""

_ACCENTS = frozenset("˙¨^~¯→̂̃")


def mathml(latex: str, display: str = "inline") -> str:
    """Return a formula as MathML."""
    ElementTree.register_namespace("", _NAMESPACE)
    root = ElementTree.fromstring(convert(latex, display=display))
    for element in root.iter():
        style = _STYLES.get(element.get("mathvariant", ""))
        if style is not None and element.text:
            del element.attrib["mathvariant"]
            element.text = "".join(_styled(letter, style) for letter in element.text)
        if element.tag.endswith("}mover") and (element[1].text or "") in _ACCENTS:
            element.set("accent", "true")
    return ElementTree.tostring(root, encoding="unicode")


def _styled(letter: str, style: str) -> str:
    """Return a letter or digit in a style: "𝐪" for "q" in BOLD."""
    name = unicodedata.name(letter).replace("LATIN ", "").replace("GREEK ", "")
    name = name.replace("LETTER ", "")
    for full in (f"MATHEMATICAL {style} {name}", f"{style} {name}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            continue
    return letter


def _visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    anchor = f' id="equation-{node["label"]}"' if node.get("label") else ""
    formula = mathml(node.astext(), "block")
    translator.body.append(f'<div class="math"{anchor}>{formula}{number}</div>\n')
    raise nodes.SkipNode


def _write_font(app: Sphinx) -> None:
    """Write the font into a style sheet, because browsers load no font files for pages opened from disk."""
    data = base64.b64encode(FONT.read_bytes()).decode()
    path = Path(app.outdir) / "_static" / "math.css"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'@font-face {{ font-family: "SnakeStudio Math"; src: url(data:font/woff2;base64,{data}); }}\n'
        'math { font-family: "SnakeStudio Math", math; }\n',
        encoding="utf-8",
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    app.connect("builder-inited", _write_font)
    app.add_css_file("math.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
