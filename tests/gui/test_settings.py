"""Declared settings: stored in their type; invalid values count as missing; every key that is used is declared."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

import snakestudio.gui
from snakestudio.gui.core.settings import Setting, StoredRecords, declared

FOLDER = Path(snakestudio.gui.__file__).parent
OWNERS = {"core/settings.py", "forms/declared_form.py"}
"""Modules that read and write on behalf of declarations."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.ini"


def opened(path: Path) -> QSettings:
    return QSettings(str(path), QSettings.Format.IniFormat)


SWITCH = Setting("test/switch", True, "Switch", "A switch")
COUNT = Setting("test/count", 3, "Count", "A number", least=1, most=9)
TIME = Setting("test/time_s", 1.5, "Time", "A time, s", least=0.1)
CHOICE = Setting("test/choice", "a", "Choice", "A choice", choices=("a", "b"))
NAMES: Setting[tuple[str, ...]] = Setting("test/names", (), "Names", "Some names")
STATE = Setting("test/state", QByteArray(), "State", "A state")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        (SWITCH, False),
        (COUNT, 9),
        (TIME, 0.25),
        (CHOICE, "b"),
        (NAMES, ("one",)),
        (NAMES, ("one", "two, three")),
        (STATE, QByteArray(b"\x00\xff")),
    ],
)
@pytest.mark.parametrize("of", ["", "thing"])
def test_value_is_stored_in_its_type(
    path: Path, setting: Setting[object], value: object, of: str
) -> None:
    settings = opened(path)
    assert setting.load(settings, of) == setting.default
    setting.store(settings, value, of)
    settings.sync()
    again = opened(path)
    stored = setting.load(again, of)
    assert stored == value
    assert type(stored) is type(setting.default)
    setting.discard(again, of)
    assert setting.load(again, of) == setting.default


@pytest.mark.parametrize(
    ("setting", "raw"),
    [
        (SWITCH, "maybe"),
        (COUNT, "many"),
        (COUNT, "10"),
        (COUNT, "2.5"),
        (TIME, "nan"),
        (TIME, "0"),
        (TIME, ["1", "2"]),
        (CHOICE, "c"),
        (STATE, "text"),
    ],
)
def test_invalid_value_counts_as_missing(path: Path, setting: Setting[object], raw: object) -> None:
    settings = opened(path)
    settings.setValue(setting.key, raw)
    assert setting.load(settings) == setting.default


def test_records_replace_each_other(path: Path) -> None:
    records = StoredRecords("test/records", ("name", "text"), "Records", "Records of a test")
    settings = opened(path)
    assert records.load(settings) == []
    records.store(settings, [("a", "1"), ("b", "2"), ("c", "3")])
    records.store(settings, [("d", "4")])
    settings.sync()
    assert records.load(opened(path)) == [("d", "4")]


def test_key_is_declared_once() -> None:
    with pytest.raises(ValueError, match="test/count"):
        Setting("test/count", 0, "Count", "Another")


def test_every_setting_has_a_description() -> None:
    for module in pkgutil.walk_packages(snakestudio.gui.__path__, "snakestudio.gui."):
        importlib.import_module(module.name)
    settings = {each.key: each for each in declared() if not each.key.startswith("test/")}
    assert {"theme", "window/state", "runs/keep", "remote/port", "export/csv"} <= set(settings)
    for setting in settings.values():
        assert setting.title[:1].isupper(), setting.key
        assert setting.help[:1].isupper(), setting.key
        assert not setting.help.endswith("."), setting.key
    chosen = [key for key, each in settings.items() if not each.remembered]
    assert sorted(chosen) == ["autosave/interval_s", "remote/port", "runs/keep", "theme"]


def test_no_key_is_used_without_a_declaration() -> None:
    used = []
    for path in FOLDER.rglob("*.py"):
        if path.relative_to(FOLDER).as_posix() in OWNERS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in {"value", "setValue", "remove", "contains", "beginGroup"}
                and "settings" in ast.unparse(node.func.value).rpartition(".")[2]
            ):
                used.append(f"{path.name}:{node.lineno}")
    assert used == []
