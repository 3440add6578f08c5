"""The View menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from snakestudio.drawing.quantities import QUANTITIES
from snakestudio.gui.core import theme
from snakestudio.gui.shell.commands.command import BODY_MENU, Command, always, has_links, is_continuum, line
from snakestudio.gui.shell.commands.plots import PLOTS
from snakestudio.gui.shell.layouts import SHIPPED, Shipped
from snakestudio.viewmodel.viewport.view_settings import SCALES

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["VIEW"]


def _show(
    name: str,
    text: str,
    tip: str = "",
    shortcuts: tuple[str, ...] = (),
    enabled: Callable[[MainWindow], bool] = always,
) -> Command:
    """A command that switches one of the viewport's wishes."""

    def toggle(w: MainWindow) -> None:
        w.viewport.options.set(**{name: not getattr(w.viewport.options.now, name)})

    def is_on(w: MainWindow) -> bool:
        return bool(getattr(w.viewport.options.now, name))

    return Command(f"show_{name}", "View/Show", text, toggle, shortcuts, enabled, is_on, tip=tip)


def _colour_by(name: str) -> Command:
    """A command that colours a continuous body by a quantity, or by none."""
    text = QUANTITIES[name].title if name else "Nothing"
    return Command(
        f"colour_{name or 'nothing'}", BODY_MENU, text, lambda w: w.viewport.options.set(body_quantity=name),
        enabled=is_continuum, checked=lambda w: w.viewport.options.now.body_quantity == name,
        tip="What the colours along a continuous body mean",
    )  # fmt: skip


def _arrows(factor: float) -> Callable[[MainWindow], None]:
    """A command that makes all arrows longer or shorter."""

    def scale(w: MainWindow) -> None:
        for row in SCALES:
            w.viewport.options.scale_arrows(row, factor)

    return scale


def _layout(layout: Shipped) -> Command:
    """A command that arranges the panels as in a shipped layout."""
    return Command(
        f"layout_{layout.name.lower()}", "View/Layouts", layout.name,
        lambda w: w.layouts.choose_shipped(layout.name), icon="layout", tip=layout.tip,
    )  # fmt: skip


def _has_depth(w: MainWindow) -> bool:
    return not w.viewport.navigator.flat


VIEW: tuple[Command, ...] = (
    Command("view_top", "View", "Top", lambda w: w.viewport.navigator.view("top"), ("7",)),
    Command("view_front", "View", "Front", lambda w: w.viewport.navigator.view("front"), ("1",), _has_depth),
    Command("view_right", "View", "Right", lambda w: w.viewport.navigator.view("right"), ("3",), _has_depth),
    Command(
        "view_projection", "View", "Perspective", lambda w: w.viewport.navigator.toggle_projection(), ("5",),
        _has_depth, lambda w: not w.viewport.navigator.camera.orthographic, tip="Perspective or parallel projection",
    ),
    line("View"),
    Command("frame_all", "View", "Frame All", lambda w: w.viewport.frame_all(), ("Home",), icon="frame", local=True),
    Command("frame_selection", "View", "Frame Selection", lambda w: w.viewport.frame_selection(), ("F", ".")),
    Command(
        "follow", "View", "Follow Robot",
        lambda w: w.viewport.navigator.set_following(not w.viewport.navigator.following), ("C",),
        checked=lambda w: w.viewport.navigator.following, icon="follow",
        tip="Keep the robot in the middle of the picture",
    ),
    Command(
        "measure", "View", "Measure", lambda w: w.viewport.measure_tool.begin(), ("M",), icon="measure", local=True,
        tip="Click two points: distance, parts along x and y, direction",
    ),
    line("View"),
    Command(
        "gizmo", "View", "Gizmo", lambda w: w.viewport.editor.options.toggle("gizmo"), (), has_links,
        lambda w: w.viewport.editor.options.now.gizmo,
        tip="Handles around the selection that move, turn and scale it",
    ),
    Command(
        "next_gizmo", "View", "Next Gizmo", lambda w: w.viewport.editor.options.next_mode(), ("T",), has_links,
        local=True, tip="Handles that move, turn, scale, one after the other",
    ),
    line("View"),
    _show("forces", "Obstacle Forces"),
    _show("friction", "Friction Forces"),
    _show("ground_forces", "Ground Forces", "What the ground does to a robot that it carries: reaction and friction"),
    _show("support_torques", "Support Torques", "1 N m is as long as 10 N of force", enabled=is_continuum),
    _show("contact_points", "Contact Points", "Coloured by stick and slip"),
    _show("trail", "Trail"),
    _show("path", "Path", "The path on the ground and the points that guide the robot"),
    _show("centre_of_mass", "Centre of Mass"),
    _show("joint_axes", "Joint Axes", "A continuous body has no joints", enabled=has_links),
    _show(
        "reference_ghost", "Commanded Shape", "Where the joints were told to be; a continuous body has none",
        enabled=has_links,
    ),
    _show("see_through", "See Through Obstacles"),
    _show("grid", "Grid"),
    _show("drafting", "Rulers and Dimensions", "In the view from above: sizes and gaps of what is selected"),
    line("View/Show"),
    Command("arrows_longer", "View/Show", "Longer Arrows", _arrows(1.25), ("Ctrl+Up",)),
    Command("arrows_shorter", "View/Show", "Shorter Arrows", _arrows(0.8), ("Ctrl+Down",)),
    Command("trail_link", "View/Trail of"),
    *(_colour_by(name) for name in ("", *QUANTITIES)),
    Command(
        "arrange", "View/Panels", "Arrange Panels", lambda w: w.set_arranging(not w.arranging),
        checked=lambda w: w.arranging, long=True, tip="Show title bars by which panels are moved, floated and closed",
    ),
    Command("next_pane", "View/Panels", "Next Panel", lambda w: w.panes.go_on(1), ("F6",), tip="Give it the keyboard"),
    Command(
        "pane_before", "View/Panels", "Panel Before", lambda w: w.panes.go_on(-1), ("Shift+F6",),
        tip="Give it the keyboard",
    ),
    line("View/Panels"),
    *(_layout(layout) for layout in SHIPPED),
    line("View/Layouts"),
    *PLOTS,
    Command(
        "save_layout", "View/Layouts", "Save Layout ...", lambda w: w.guides.save_layout(), icon="layout",
        tip="Keep how the panels stand now under a name",
    ),
    Command("delete_layout", "View/Layouts/Delete Layout"),
    line("View"),
    Command(
        "theme", "View", "Light Colours", lambda w: w.toggle_theme(), long=True,
        checked=lambda w: theme.current() is theme.LIGHT, icon="theme",
    ),
    Command(
        "screenshot", "View", "Screenshot ...", lambda w: w.exporter.ask_screenshot(), ("Ctrl+P",), icon="camera",
        tip="Save what the viewport shows at full quality",
    ),
    Command(
        "add_camera_key", "View/Camera Path", "Add Camera Keyframe", lambda w: w.dialogs.add_camera_key(),
        ("Ctrl+Shift+K",), lambda w: w.bridge.displayed is not None, icon="keyframe",
        tip="A video's camera can move from this view, at the moment that is shown, to others",
    ),
    Command(
        "camera_keys", "View/Camera Path", "Camera Keyframes ...", lambda w: w.dialogs.show_camera_keys(),
        icon="camera", tip="Go to them, move them in time, keep them in a file",
    ),
)  # fmt: skip
