"""Generate the program's files for desktops: `share.py FOLDER` fills FOLDER with the layout of `/usr/share`.

Desktop entry, MIME types, icons in all sizes and the man page; the bytes are reproducible.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
"""Sizes of the icon, px."""


def draw_icons(folder: Path) -> None:
    """Write the icon into `folder` for the theme hicolor: as SVG, and as PNG for desktops that cannot read SVG."""
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    source = ROOT / "resources" / "icons" / "snakestudio.svg"
    scalable = folder / "scalable" / "apps" / source.name
    scalable.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, scalable)
    renderer = QSvgRenderer(str(source))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        path = folder / f"{size}x{size}" / "apps" / "snakestudio.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not image.save(str(path)):
            raise OSError(f"{path} could not be written")


def main() -> None:
    """Fill the folder."""
    target = Path(sys.argv[1])
    shutil.copytree(
        Path(__file__).with_name("share"), target, dirs_exist_ok=True, copy_function=shutil.copyfile
    )
    draw_icons(target / "icons" / "hicolor")
    page = target / "man" / "man1" / "snakestudio.1.gz"
    subprocess.run([sys.executable, str(ROOT / "packaging" / "man_page.py"), str(page)], check=True)


if __name__ == "__main__":
    main()
