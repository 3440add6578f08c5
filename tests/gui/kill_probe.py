"""Program to be killed: a document with autosave that is edited at random, for `test_kill`.

Every edit adds one obstacle whose y_m is the time of the edit (s since the start of the probe), and
is printed before it is made. Now and then the scene is saved to its file, which is printed as well.

    python -m tests.gui.kill_probe SCENE INTERVAL_S SEED
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtGui import QGuiApplication

from snakestudio.gui.core.document import Document
from snakestudio.gui.shell.autosave import Autosave
from snakestudio.model.edits import add_obstacle, remove_obstacles
from snakestudio.model.obstacles.shapes.cylinder import Cylinder


def main(scene: Path, interval_s: float, seed: int) -> int:
    """Edit until killed."""
    app: QCoreApplication = QGuiApplication(sys.argv[:1])
    document = Document()
    document.open(scene)
    autosave = Autosave(document, interval_s)
    chance = random.Random(seed)
    began = time.monotonic()

    def edit() -> None:
        now = time.monotonic() - began
        sort = chance.random()
        if sort < 0.003:
            print("saving", flush=True)
            document.save()
            print(f"saved {now:.4f}", flush=True)
        elif sort < 0.03 and len(document.scene.obstacles) > 50:
            # the newest stay
            document.edit(remove_obstacles(document.scene, range(0, 40)), "Delete")
        else:
            print(f"edit {now:.4f}", flush=True)
            document.edit(
                add_obstacle(document.scene, Cylinder(x_m=chance.uniform(-9, 9), y_m=now)), "Add"
            )

    timer = QTimer()
    timer.timeout.connect(edit)
    timer.start(4)
    print("ready", flush=True)
    code = app.exec()
    autosave.close()
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))
