"""A report as one HTML page with its pictures in it: light, readable anywhere, fit to be printed."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from snakestudio.export.report import Picture, Report, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


__all__ = ["write"]

_CSS = """
:root { color-scheme: light; --ink: #1b2027; --pale: #667484; --line: #dbe1e7; --accent: #0a84d0; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 40px 24px 64px; max-width: 60rem; background: #fff; color: var(--ink);
  font: 15px/1.55 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", Arial, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 1.15rem; margin: 40px 0 8px; padding-top: 16px; border-top: 1px solid var(--line); }
p.lead { font-size: 1.1rem; margin: 0 0 24px; }
p.about, figcaption, li { color: var(--pale); }
p.about, figcaption { font-size: .9rem; margin: 8px 0 0; }
figure { margin: 0; }
figure img { display: block; width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 4px 10px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; border-bottom: 1.5px solid var(--ink); vertical-align: bottom; }
th.left, td.left { text-align: left; }
th:first-child, td:first-child { padding-left: 0; }
td.text { white-space: normal; }
td.hash { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .8rem; overflow-wrap: anywhere;
  white-space: normal; text-align: left; }
details { margin-top: 16px; }
summary { cursor: pointer; color: var(--accent); }
pre { font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
  background: #f4f6f8; padding: 16px; overflow-x: auto; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; }
  figure, tr, .wide { break-inside: avoid; }
  details { display: none; }
}
"""


def write(path: Path, report: Report, progress: Callable[[float], bool] | None) -> bool:
    """Write a report as HTML; False if `progress` cancelled it."""
    parts = [f"<h1>{html.escape(report.title)}</h1>", f'<p class="lead">{html.escape(report.lead)}</p>']
    parts.append(_picture(report.pictures[0]))
    parts += [_table(table) for table in report.tables[:-2]]
    for done, picture in enumerate(report.pictures[1:], 1):
        parts.append(_picture(picture))
        if progress is not None and not progress(done / len(report.pictures)):
            return False
    parts += [_table(table) for table in report.tables[-2:]]
    if report.notes:
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in report.notes)
        parts.append(f"<h2>What was found and done</h2><ul>{notes}</ul>")
    rows = "".join(
        f'<tr><td class="left">{html.escape(name)}</td><td class="hash">{html.escape(value)}</td></tr>'
        for name, value in report.provenance
    )
    parts.append(f'<h2>Provenance</h2><div class="wide"><table>{rows}</table></div>')
    parts.append(f"<details><summary>The scene of the run</summary><pre>{html.escape(report.scene)}</pre></details>")
    body = "\n".join(parts)
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(report.title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    path.write_text(page, encoding="utf-8", newline="\n")
    return True


def _picture(picture: Picture) -> str:
    # A picture of its own, not part of the page: names inside of two SVGs would clash.
    data = base64.b64encode(_svg(picture.figure)).decode("ascii")
    alt = html.escape(f"{picture.heading}. {picture.caption}", quote=True)
    return (
        f"<h2>{html.escape(picture.heading)}</h2><figure>"
        f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{html.escape(picture.caption)}</figcaption></figure>"
    )


def _svg(figure: Figure) -> bytes:
    import matplotlib

    # Letters as outlines: an image cannot rely on the reader's fonts.
    with matplotlib.rc_context({"svg.fonttype": "path"}):
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def _table(table: Table) -> str:
    def row(cells: tuple[str, ...], tag: str) -> str:
        made = []
        for index, cell in enumerate(cells):
            kind = "left" if index < table.left else ""
            kind += " text" if len(cells) == 2 and index == 1 else ""
            made.append(f'<{tag} class="{kind.strip()}">{html.escape(cell)}</{tag}>')
        return f"<tr>{''.join(made)}</tr>"

    head, body = row(table.rows[0], "th"), "".join(row(cells, "td") for cells in table.rows[1:])
    about = f'<p class="about">{html.escape(table.about)}</p>' if table.about else ""
    return (
        f"<h2>{html.escape(table.heading)}</h2>"
        f'<div class="wide"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>{about}'
    )
