"""Columns of plug-ins cannot replace other columns of a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio import api
from snakestudio.api.simulation import open_simulation
from snakestudio.cli import main
from snakestudio.errors import PluginError, PluginRuntimeError
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.columns import columns_of
from snakestudio.model.edits import with_values
from snakestudio.model.quantities import taken_mistake
from snakestudio.model.scene import Scene
from snakestudio.plugins.loading import load
from snakestudio.session.run_schema import run_schema

from .plugin_files import QUICK, WAG, scene_file, wagging, written

QUANTITY = """
from snakestudio.plugin import Quantity, each_link


def numbers(piece):
    return piece.rows.link_pose[:, :, 0]


def first(piece):
    return piece.rows.link_pose[:, 0, 0]


KIND = Quantity({arguments})
"""


def quantity(arguments: str) -> str:
    return QUANTITY.format(arguments=arguments)


def with_channels(channels: str) -> str:
    return WAG.replace('("phase_rad",)', channels)


BUILT_IN = (
    "time_s",
    "com_x_m",
    "link_3_x_m",
    "link_12_ground_fz_n",
    "joint_1_yaw_rad",
    "joint_1_pitch_ref_rad",
    "energy_kinetic_j",
    "work_stop_j",
    "solver_residual",
    "contact_2_abscissa_m",
    "section_4_lambda_cx_nm",
    "link_2_speed_mps",
    "resultant_fx_n",
)


@pytest.mark.parametrize("name", BUILT_IN)
def test_channel_cannot_take_the_name_of_a_built_in_column(tmp_path: Path, name: str) -> None:
    with pytest.raises(PluginError, match=rf'wag.py: .*"{name}".*(Choose|Rename)'):
        load(written(tmp_path, text=with_channels(f'("phase_rad", "{name}")')))
    with pytest.raises(PluginError, match=rf'extra.py: .*"{name}".*(Choose|Rename)'):
        load(written(tmp_path, "extra", quantity(f'"{name}", first')))


def test_channels_of_the_declaration_are_checked_too(tmp_path: Path) -> None:
    text = WAG.replace("make=Wag)", 'make=Wag, channels=("time_s",))')
    with pytest.raises(PluginError, match='"time_s"'):
        load(written(tmp_path, text=text))


@pytest.mark.parametrize(
    ("channels", "sentence"),
    [
        ('("phase_rad", "phase_rad")', r'two channels.*"phase_rad".*rename'),
        ('"phase_rad"', r"channels = 'phase_rad'.*tuple"),
        ('["phase_rad"]', r"channels = \['phase_rad'\].*tuple"),
        ('("a,b",)', r'"a,b" .*letters'),
        ('("",)', r'"" .*letters'),
        ("(1,)", r"channels = \(1,\).*tuple"),
    ],
)
def test_invalid_channels_are_refused_when_loaded(
    tmp_path: Path, channels: str, sentence: str
) -> None:
    with pytest.raises((PluginError, PluginRuntimeError), match=f"(?i){sentence}"):
        load(written(tmp_path, text=with_channels(channels)))


def test_channel_chosen_by_an_object_is_refused(tmp_path: Path) -> None:
    own = "self.channels = ('link_2_y_m',)\n        self.link_2_y_m = 0.0"
    load(written(tmp_path, text=WAG.replace("self.phase_rad = 0.0", own)))
    with pytest.raises(PluginRuntimeError, match=r'wag.*"link_2_y_m".*Choose'):
        api.simulate(wagging())


def test_quantity_cannot_take_the_name_of_a_channel(tmp_path: Path) -> None:
    load(written(tmp_path))
    refused = r'quantity "phase_rad".*column "phase_rad".*controller "wag".*plug-in wag'
    with pytest.raises(PluginError, match=refused):
        load(written(tmp_path, "extra", quantity('"phase_rad", first')))
    own = next(kind.channels[0] for kind in CONTROLLERS.values() if kind.channels)
    with pytest.raises(PluginError, match=rf'"{own}".*controller .* of SnakeStudio'):
        load(written(tmp_path, "other", quantity(f'"{own}", first')))


def test_channel_cannot_take_the_name_of_a_quantity_of_a_plugin(tmp_path: Path) -> None:
    load(written(tmp_path, "extra", quantity('"link_{}_load_n", numbers, of=each_link')))
    with pytest.raises(PluginError, match=r'"link_3_load_n".*quantity'):
        load(written(tmp_path, text=with_channels('("link_3_load_n",)')))
    both = WAG.replace("KIND =", "ONE =") + quantity('"phase_rad", first').replace(
        "KIND =", "KINDS = ONE,"
    )
    with pytest.raises(PluginError, match='"phase_rad"'):
        load(written(tmp_path, "both", both))


def test_two_controllers_can_have_the_same_channel(tmp_path: Path) -> None:
    load(written(tmp_path))
    load(written(tmp_path, "swing", WAG.replace('"wag"', '"swing"')))
    assert api.simulate(wagging())["phase_rad"][-1] == pytest.approx(np.pi)


def test_columns_that_follow_from_a_run_are_refused_at_its_start(tmp_path: Path) -> None:
    load(written(tmp_path, "extra", quantity('"com_{}_m", first, of=lambda schema: ("x",)')))
    scene = with_values(Scene(), QUICK)
    with pytest.raises(PluginRuntimeError, match=r'plug-in extra .*"com_x_m"'):
        api.simulate(scene)
    with open_simulation(scene) as sim, pytest.raises(PluginRuntimeError, match='"com_x_m"'):
        sim.record()


def test_command_line_refuses_the_channel_and_writes_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plugin = written(tmp_path, text=with_channels('("com_x_m",)'))
    out = tmp_path / "run.csv"
    arguments = ["run", str(scene_file(tmp_path)), "--plugin", str(plugin), "--csv", str(out)]
    assert main(arguments) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert '"com_x_m"' in line
    assert not out.exists()


@pytest.mark.parametrize("scene", ["sidewinding", "worm"])
def test_all_columns_of_models_are_reserved(scene: str) -> None:
    schema = run_schema(api.load_scene(scene))
    assert not columns_of(schema).clashes
    models = {name for kind in FORMULATIONS.values() for name in kind.channels}
    controllers = {name for kind in CONTROLLERS.values() for name in kind.channels}
    for name, column in columns_of(schema).by_name.items():
        if name not in schema.extra and not column.quantity.yields_to:
            assert taken_mistake((name,)) or name.endswith(("_deg", "_degps")), name
        else:
            channel = name.replace("_deg", "_rad")
            assert channel in models | controllers or "joint_" in name, name


def test_controller_channels_differ_from_built_in_columns() -> None:
    for kind in CONTROLLERS.values():
        assert kind.mistake() is None, kind.kind_name
