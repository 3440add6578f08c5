"""Every field of every part edited in the window, with that part selected: no edit leads to an internal error."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions
from pytestqt.qtbot import QtBot

from snakestudio.errors import Problem
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.model.edits import parse_key
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, scene_from_dict
from snakestudio.paths import scenes_dir
from snakestudio.viewmodel.scene.items import Item, exists, items_of
from tests.field_edits import field_keys, with_other_value
from tests.gui.conftest import COMPILING_MS, fill_docks

pytestmark = pytest.mark.gui

_PANELS = ("scene", "inspector", "parameters", "plots")
_EXAMPLES = 30 if os.environ.get("SNAKESTUDIO_SOAK") else 1


def chain_scene() -> Scene:
    """A robot of links with tables of links and joints, a patch, a path and an obstacle of each shape."""
    kinds = ("cylinder", "box", "stairs", "ramp", "rubble")
    heights = {"kind": "height_field", "heights_m": [[0.0, 0.1], [0.1, 0.0]]}
    return scene_from_dict(
        {
            "format": 1,
            "model": {"kind": "spatial_nonsmooth"},
            "robot": {
                "n_links": 5,
                "link": [{"index": 2, "mass_kg": 0.5}],
                "joint": [{"index": 3, "upper_limit_deg": 45.0}],
            },
            "ground": {"patch": [{"points_m": [[2.0, 2.0], [3.0, 2.0], [3.0, 3.0]]}]},
            "path": {"waypoints_m": [[0.0, -1.0], [1.0, -1.0]]},
            "obstacles": [
                {**shape, "x_m": 5.0 * index, "y_m": 6.0}
                for index, shape in enumerate([*({"kind": kind} for kind in kinds), heights])
            ],
        }
    )


def item_of_key(key: str, scene: Scene) -> Item | None:
    """Item of the scene tree whose field has this key."""
    path = parse_key(key)
    if path[:2] == ("robot", "link") and len(path) > 2:
        return "link", 1
    items = [item for item in items_of(Problem("error", key, "", "")) if exists(item, scene)]
    if not items and path[0] == "path":
        return "path", 0
    return items[0] if items else None


def settle(window: MainWindow) -> None:
    """Let the window react to an edit, draw, and meet the mouse, before and after the session has the edit."""
    viewport = window.context.viewport
    middle = QPointF(viewport.rect().center())
    for _ in ("before", "after"):
        viewport.overlays()
        viewport.hover(middle)
        viewport.drafting_overlay.repaint()
        QApplication.processEvents()
        window.context.session_controller.session.settle()


def edit_every_field(window: MainWindow, data: Any) -> None:
    """Set one field after the other to another value, each in an otherwise unchanged scene."""
    document = window.context.document
    original = document.scene
    for key in field_keys(original):
        item = item_of_key(key, original) or ("robot" if original.body.jointed else "beam", 0)
        scene = with_other_value(original, key, data.draw)
        if scene is None:
            continue
        with capture_exceptions() as exceptions:
            window.context.selection.set([item])
            document.edit(scene, f"Edit {key}")
            settle(window)
        assert not exceptions, f"{key}: {format_captured_exceptions(exceptions)}"
        assert window.context.session_controller.status.state != "failed", key
    document.edit(original, "Restore")
    settle(window)


@pytest.mark.parametrize("state", ["ready", "paused"])
@pytest.mark.parametrize("body", ["chain", "continuous"])
def test_no_field_leads_to_an_internal_error(
    window: MainWindow, qtbot: QtBot, body: str, state: str
) -> None:
    context = window.context
    scene = chain_scene() if body == "chain" else load_scene(scenes_dir() / "worm.toml")
    fill_docks(window, *_PANELS)
    context.document.new(scene)
    controller = context.session_controller
    qtbot.waitUntil(lambda: controller.status.state == "ready", timeout=COMPILING_MS)
    if state == "paused":
        controller.session.step()
        qtbot.waitUntil(lambda: controller.status.state == "paused")

    @given(st.data())
    @settings(max_examples=_EXAMPLES, suppress_health_check=list(HealthCheck))
    def edits(data: Any) -> None:
        edit_every_field(window, data)

    edits()


@pytest.mark.parametrize("state", ["ready", "paused"])
def test_fewer_and_more_links_with_the_robot_selected(
    window: MainWindow, qtbot: QtBot, state: str
) -> None:
    context = window.context
    viewport = context.viewport
    controller = context.session_controller
    qtbot.waitUntil(lambda: controller.status.state == "ready", timeout=COMPILING_MS)
    if state == "paused":
        controller.session.step()
        qtbot.waitUntil(lambda: controller.status.state == "paused")
    context.selection.set([("robot", 0)])
    begun = viewport.scene.robot.n_links
    for n_links in (begun - 1, begun + 1, 6, begun):
        context.document.set_value("robot.n_links", n_links, "Links")
        drawn = begun if state == "paused" else n_links  # a run continues with its own robot
        handles = 0 if state == "paused" else n_links - 1
        snapshot = viewport.snapshot
        assert snapshot is not None
        assert snapshot.n_links == viewport.scene.robot.n_links == drawn
        assert len(viewport.tools.robot_tool.handles()) == handles
        settle(window)
        assert viewport.snapshot is not None
        assert viewport.snapshot.n_links == drawn
