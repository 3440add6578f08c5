"""Which timers of the window ask again and again whether something has happened, instead of being told by a signal."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.inference import Function, last

CLOCKS = {
    # Frames: the newest snapshot is pulled, since samples are no signals. Memory is given back now
    # and then.
    "gui/core/session_controller.py": {"self._timer", "self._release"},
    "gui/plots/panel.py": {"self._timer"},  # frames of the plots
    "gui/profile/learning_dialog.py": {
        "self._timer"
    },  # the curve by which a joint is moved runs in time
    "gui/profile/wiggle_dialog.py": {"self._timer"},  # joints are moved in time
    "gui/robot/arming.py": {"self._timer"},  # how long the button has been held
    "gui/core/robot_controller.py": {"self._timer"},  # heartbeat of the window to the robot
    "gui/robot/stop_button.py": {"self._timer"},  # the way to a stop depends on no signal
    "gui/robot/teleop/teleop.py": {"self._timer"},  # the period in which joysticks are integrated
    "gui/viewport/navigation.py": {"self._timer"},  # the camera flies
    # Work of the window itself in pieces, between which it draws and listens.
    "gui/charts/parallel_item.py": {
        "self._rest_timer",
        "QTimer.singleShot(0, self, self._draw_more)",
    },
    "gui/remote/server.py": {"self._next"},
    "gui/shell/docking.py": {"QTimer.singleShot(15, self, lambda: self.fill(context))"},
}
"""Timers that keep time: what they do is due at each tick, whether or not anything has happened."""


def polling_timers_of(
    file: str, scopes: list[ast.ClassDef | Function]
) -> Iterator[tuple[int, str]]:
    """Line and name of each timer in the classes and functions of a file that fires again and again by itself.

    A timer does if it is not single-shot, or if the method that it calls starts it again.
    """
    clocks = CLOCKS.get(file, set())
    for scope in scopes:
        methods = {each.name: each for each in ast.walk(scope) if isinstance(each, Function)}
        calls = [node for node in ast.walk(scope) if isinstance(node, ast.Call)]
        for node, target in _timers(scope, calls):
            if target not in clocks and (
                not _is_single(node, target, calls) or _restarts(target, calls, methods)
            ):
                yield node.lineno, target
        for call in calls:
            if last(call.func) in ("startTimer", "QBasicTimer"):
                yield call.lineno, ast.unparse(call)
        for name, method in methods.items():
            for call in ast.walk(method):
                if not isinstance(call, ast.Call) or ast.unparse(call.func) != "QTimer.singleShot":
                    continue
                if name in _own_names(call) and ast.unparse(call) not in clocks:
                    yield call.lineno, ast.unparse(call)


def _timers(scope: ast.AST, calls: list[ast.Call]) -> Iterator[tuple[ast.Call, str]]:
    """Where timers are made, with what they are assigned to; "" for one that is assigned to nothing."""
    targets = {
        id(node.value): ast.unparse(
            node.targets[0] if isinstance(node, ast.Assign) else node.target
        )
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
    }
    for call in calls:
        if last(call.func) == "QTimer":
            yield call, targets.get(id(call), "")


def _is_single(made: ast.Call, target: str, calls: list[ast.Call]) -> bool:
    by_keyword = any(keyword.arg == "singleShot" for keyword in made.keywords)
    return by_keyword or any(ast.unparse(call) == f"{target}.setSingleShot(True)" for call in calls)


def _restarts(target: str, calls: list[ast.Call], methods: dict[str, Function]) -> bool:
    """Whether what the timer calls leads to its start."""
    for call in calls:
        if ast.unparse(call.func) == f"{target}.timeout.connect":
            for name in _own_names(call):
                if name in methods and f"{target}.start(" in ast.unparse(methods[name]):
                    return True
    return False


def _own_names(node: ast.AST) -> set[str]:
    """Names of what a node takes from `self`."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }
