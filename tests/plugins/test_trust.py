from __future__ import annotations

import json
from pathlib import Path

import pytest

from snakestudio import api
from snakestudio.cli import main
from snakestudio.errors import PluginError, SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.scene_file import dump_scene, load_scene
from snakestudio.plugins.loaded import loaded
from snakestudio.plugins.scenes import named_plugins
from snakestudio.plugins.trust import is_trusted, revoke_trust, trust, trusted, trusted_folders

from .plugin_files import scene_file, written

LOUD = "raise RuntimeError('this code must not run')\n"


def test_file_is_trusted_only_with_its_content(tmp_path: Path, own_plugins: Path) -> None:
    path = written(tmp_path)
    assert not is_trusted(path)
    trust(path)
    assert is_trusted(path)
    path.write_text(path.read_text() + "# changed\n")
    assert not is_trusted(path)
    (tmp_path / "copy.py").write_bytes(path.read_bytes())
    assert not is_trusted(tmp_path / "copy.py")
    revoke_trust(path)
    assert not trusted().files
    with pytest.raises(PluginError, match=r"trusted.*list"):
        revoke_trust(path)
    (own_plugins / "trusted_plugins.json").write_text("[1")
    with pytest.raises(PluginError, match=r"plug\-ins.*damaged"):
        is_trusted(path)


def test_trusted_folder_covers_all_its_files(tmp_path: Path) -> None:
    inside = tmp_path / "mine"
    outside = tmp_path / "elsewhere"
    inside.mkdir(mode=0o755)
    outside.mkdir(mode=0o755)
    trust(inside)
    assert trusted_folders() == (inside.resolve(),)
    assert is_trusted(written(inside))
    (inside / "link.py").symlink_to(written(outside))
    assert not is_trusted(inside / "link.py"), "a link does not carry trust out of the folder"
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(PluginError, match=r"user.*computer"):
        trust(shared)


def test_untrusted_scene_runs_no_code(tmp_path: Path) -> None:
    written(tmp_path, text=LOUD)
    path = scene_file(tmp_path)
    scene = load_scene(path)
    assert loaded() == ()
    assert scene.controller.kind == "wag"
    assert scene.controller.amplitude_deg == 30.0  # type: ignore[attr-defined]
    (problem,) = api.check(path)
    assert problem.severity == "warning"
    assert problem.key == "controller.kind"
    assert 'plug-in "wag.py"' in problem.message
    assert f"snakestudio plugin trust {tmp_path.resolve() / 'wag.py'}" in problem.remedy
    with pytest.raises(SceneError, match=r"because.*trust"):
        api.simulate(path)
    assert main(["run", str(path)]) == 2
    assert loaded() == ()


def test_scene_of_a_missing_plugin_is_edited_without_loss(tmp_path: Path) -> None:
    path = scene_file(
        tmp_path,
        more='odd = [1, 2]\nsub = { a = "b" }\n[[obstacles]]\nkind = "blob"\nx_m = 1.0\nn = 3\n',
    )
    text = path.read_text()
    scene = load_scene(path)
    assert dump_scene(scene, text) == text
    longer = dump_scene(with_values(scene, {"run.duration_s": 9.0}), text)
    assert longer == text.replace("duration_s = 0.5", "duration_s = 9.0")
    moved = dump_scene(with_values(scene, {"obstacles[1].x_m": 2.0}), text)
    assert moved == text.replace("x_m = 1.0", "x_m = 2.0")
    changed = dump_scene(with_values(scene, {"controller.amplitude_deg": 31.0}), text)
    assert changed == text.replace("30.0", "31.0")
    api.save_scene(scene, tmp_path / "copy.toml")
    assert load_scene(tmp_path / "copy.toml") == scene
    other = with_values(scene, {"controller.kind": "heading"})
    assert other.controller.kind == "heading"


def test_trusted_plugin_is_loaded_but_not_by_check_or_diff(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = written(tmp_path)
    path = scene_file(tmp_path)
    assert main(["plugin", "trust", str(plugin)]) == 0
    assert main(["check", str(path)]) == 0
    assert main(["diff", str(path), str(path)]) == 0
    output = capsys.readouterr()
    assert "checked" in output.out
    assert "plug-in wag.py" in output.err
    assert loaded() == ()
    assert main(["run", str(path)]) == 0
    assert [plugin.name for plugin in loaded()] == ["wag"]
    assert main(["plugin", "list"]) == 0
    assert f"{plugin.resolve()}: trusted (" in capsys.readouterr().out
    written(tmp_path, text=LOUD)
    assert main(["plugin", "list"]) == 0
    assert "changed since" in capsys.readouterr().out
    load_scene(path)
    assert loaded() == (), "trust in earlier code does not cover the present file"
    assert main(["plugin", "forget", str(plugin)]) == 0


def test_plugin_option_applies_to_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plugin = written(tmp_path)
    path = scene_file(tmp_path)
    out = tmp_path / "run.csv"
    assert main(["run", str(path), "--plugin", str(plugin), "--csv", str(out)]) == 0
    assert "phase_rad" in out.read_text()
    assert "# plugin: wag.py sha256:" in out.read_text()
    assert not is_trusted(plugin)
    assert main(["run", str(path), "--plugin", str(tmp_path / "none.py")]) == 2
    assert "none.py" in capsys.readouterr().err.strip()


def test_scene_names_its_unloadable_plugin(tmp_path: Path) -> None:
    trust(written(tmp_path, text="def ("))
    (named,) = named_plugins(load_scene(scene_file(tmp_path)).plugins, tmp_path)
    assert named.state == "unreadable"
    assert "line 1" in named.reason


@pytest.mark.parametrize(
    "name",
    [
        "../wag.py",
        "/tmp/wag.py",
        "~/wag.py",
        "a/../../wag.py",
        "C:wag.py",
        "a\\\\wag.py",
        "my wag.py",
        "!x",
    ],
)
def test_scene_names_only_plugins_of_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(SceneError, match="plugin: ") as caught:
        load_scene(scene_file(tmp_path, f'"{name}"'))
    assert len(caught.value.problems) == 1


def test_symlink_out_of_the_scene_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scene").mkdir()
    plugin = written(tmp_path)
    trust(plugin)
    (tmp_path / "scene" / "wag.py").symlink_to(plugin)
    (named,) = named_plugins(load_scene(scene_file(tmp_path / "scene")).plugins, tmp_path / "scene")
    assert named.state == "unreadable"
    assert "outside" in named.reason
    assert loaded() == ()


def test_trust_list_is_readable_only_by_the_user(tmp_path: Path, own_plugins: Path) -> None:
    trust(written(tmp_path))
    store = own_plugins / "trusted_plugins.json"
    assert store.stat().st_mode & 0o077 == 0
    assert set(json.loads(store.read_text())) == {"files", "packages", "folders"}
