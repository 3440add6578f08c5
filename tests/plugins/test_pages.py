"""All code on the pages about plug-ins runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from snakestudio.cli import main
from snakestudio.paths import docs_dir
from snakestudio.plugins.loaded import loaded
from snakestudio.plugins.loading import unload


def blocks(page: str) -> list[tuple[str, str]]:
    text = (docs_dir() / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


PAGES = {
    "tutorials/first-controller": ("tail", "tail"),
    "own-formulation": ("no_slip", "no_slip"),
}


@pytest.mark.parametrize("page", PAGES)
def test_all_code_of_a_page_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    plugin, scene = PAGES[page]
    values: dict[str, Any] = {}
    for language, code in blocks(page):
        if language == "toml":
            Path(f"{scene}.toml").write_text(code, encoding="utf-8")
        elif language == "python" and "KIND = " in code:
            Path(f"{plugin}.py").write_text(code, encoding="utf-8")
        elif language == "python":
            exec(compile(code, page, "exec"), values)
    if page == "tutorials/first-controller":
        assert 0.5 < values["wags"] < 1.6
        assert values["speed"].max() < 6.284 * 0.8 * 1.01
    else:
        assert values["travelled"] > 0.5
        assert values["off_path"] < 0.03
    for each in loaded():
        unload(each.name)
    for language, code in blocks(page):
        if language == "sh":
            for line in code.splitlines():
                arguments = shlex.split(line)
                assert arguments[0] == "snakestudio"
                assert main(arguments[1:]) == 0, f"{line}: {capfd.readouterr().err}"


def test_reference_names_all_roles_and_options() -> None:
    text = (docs_dir() / "plugins.md").read_text(encoding="utf-8")
    from snakestudio import plugin
    from snakestudio.plugins.starting import ROLES

    for role in ROLES:
        assert f"| `{role}` |" in text
    for name in re.findall(r"`(\w+Kind|Quantity)`", text):
        assert name in plugin.__all__
