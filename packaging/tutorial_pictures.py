"""Render the images of the tutorials from their scenes, studies and code.

Run it from the top folder after one of these has changed.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from gallery import MOMENTS, frame
from PIL import Image

from snakestudio import api, cli
from snakestudio.drawing.style import DARK
from snakestudio.paths import scenes_dir

TUTORIALS = Path(__file__).resolve().parent.parent / "docs" / "tutorials"
IMAGES = TUTORIALS / "images"


def first_run() -> None:
    """Render the scene of the first tutorial."""
    moment = MOMENTS["obstacle_aided"]
    scene, base_dir, _ = api.prepare(scenes_dir() / "obstacle_aided.toml", duration=moment.time)
    assert base_dir is not None, "a scene from a file has a folder"
    run = api.simulate_scene(scene, base_dir)
    frame(run, base_dir, moment, DARK).save(IMAGES / "first-run.png", optimize=True)


def figure() -> None:
    """Run the code of the tutorial on figures for papers."""
    text = (TUTORIALS / "figure-for-a-paper.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert cli.main(["run", "sidewinding", "--mcap", "sidewinding.mcap"]) == 0
    exec(compile(code, "figure-for-a-paper.md", "exec"), {})
    save_small(Path("sidewinding.png"), "figure.png")


def study() -> None:
    """Run the commands of the tutorial on studies up to the map."""
    text = (TUTORIALS / "first-study.md").read_text(encoding="utf-8")
    block = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[0]
    os.symlink(scenes_dir(), "scenes")
    for line in block.splitlines():
        assert cli.main(line.split()[1:]) == 0, line
    save_small(Path("undulation.png"), "study.png")


def save_small(source: Path, name: str) -> None:
    """Save an image with at most 1000 pixels a side."""
    image = Image.open(source).convert("RGB")
    image.thumbnail((1000, 1000))
    image.save(IMAGES / name, optimize=True)


def main() -> None:
    """Render all images."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for render in (first_run, figure, study):
            render()
    for path in sorted(IMAGES.glob("*.png")):
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
