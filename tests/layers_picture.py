"""Draw the layers of the packages as docs/images/layers.svg, from the import contract and ARCHITECTURE.md.

python -m tests.layers_picture
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from html import escape
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "layers.svg"
TITLE = "The packages of SnakeStudio in layers: each imports only packages below it"

WIDTH = 960
LEFT = 44
GAP = 8
LINE = 16
CHARACTER = 6.1
"""Mean width of a character of the descriptions, px."""

STYLE = """\
rect { fill: #eef3fb; stroke: #b9c8de; }
.window { fill: #fdf1da; stroke: #e3c079; }
.robot { fill: #e3f4e7; stroke: #9fcfab; }
.ground { fill: #f3f4f6; stroke: #cfd4da; }
text { fill: #22272e; font-size: 12px; }
.name { font-size: 14px; font-weight: 600; }
.arrow { stroke: #6b7280; fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
rect { fill: #1d2a3f; stroke: #3c5375; }
.window { fill: #3d3017; stroke: #7d6431; }
.robot { fill: #17331f; stroke: #376b46; }
.ground { fill: #22272e; stroke: #444c56; }
text { fill: #e3e7ec; }
.arrow { stroke: #9aa3af; }
}"""

GROUPS = {
    "window": {"__main__", "cli", "gui", "gym", "viewmodel", "api", "plugin"},
    "robot": {"live", "link", "sync"},
    "ground": {
        *("plugins", "inputs", "errors", "processor"),
        *("paths", "heap", "text", "_version", "_arrays"),
    },
}
"""Style of packages: what users see, what communicates with robots, and what does not depend on scenes."""


def layers() -> list[list[str]]:
    """Packages of each layer, the highest layer first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    rows = next(c["layers"] for c in contracts if c["type"] == "layers")
    return [row.split(" | ") for row in rows]


def descriptions() -> dict[str, str]:
    """Description of each package in the list of ARCHITECTURE.md."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = text.split("## The packages", 1)[1].split("```")[1]
    packages = {name for layer in layers() for name in layer}
    result = {}
    for line in block.splitlines():
        cells = re.split(r"/? {2,}", line)
        for name, description in pairwise(cells):
            if name in packages and description not in packages:
                result[name] = description.removesuffix(", in layers:").replace("`", "")
    return result


def picture() -> str:
    """The drawing as SVG."""
    texts_by_name = descriptions()
    body = []
    top = 12
    for packages in layers():
        width = (WIDTH - LEFT - GAP * len(packages)) / len(packages)
        texts = [
            textwrap.wrap(texts_by_name.get(name, ""), int((width - 20) / CHARACTER))
            for name in packages
        ]
        height = 28 + LINE * max(map(len, texts))
        for column, (name, lines) in enumerate(zip(packages, texts, strict=True)):
            x = LEFT + column * (width + GAP)
            group = next((key for key, names in GROUPS.items() if name in names), "")
            style = f' class="{group}"' if group else ""
            body.append(
                f'<rect{style} x="{x:.0f}" y="{top}" width="{width:.0f}" height="{height}" rx="6"/>'
            )
            body.append(f'<text class="name" x="{x + 10:.0f}" y="{top + 19}">{escape(name)}</text>')
            body += [
                f'<text x="{x + 10:.0f}" y="{top + 37 + LINE * row}">{escape(line)}</text>'
                for row, line in enumerate(lines)
            ]
        top += height + GAP
    end = top - GAP
    body.append(f'<path class="arrow" d="M20 {12} V{end} m-6 -10 l6 10 l6 -10"/>')
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 4}" width="{WIDTH}" '
            f'height="{top + 4}" role="img" font-family="system-ui, \'Segoe UI\', Roboto, '
            "'DejaVu Sans', sans-serif\">",
            f"<title>{TITLE}</title>",
            f"<style>\n{STYLE}\n</style>",
            *body,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(ROOT)}")
