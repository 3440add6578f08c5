"""Meshes in COLLADA files: polygons, nodes of the scene, units and axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from snakestudio.inputs import InputError
from snakestudio.robot_files.meshes import measured, read_triangles

POINTS = "0 0 0  2 0 0  2 1 0  0 1 0  0 0 3  2 0 3  2 1 3  0 1 3"
QUADS = ["0 3 2 1", "4 5 6 7", "0 1 5 4", "1 2 6 5", "2 3 7 6", "3 0 4 7"]
"""A box of 2 x 1 x 3 with its outside outwards."""


def _with_normals(indices: str) -> str:
    return " ".join(f"{index} 0" for index in indices.split())


def _triangles(quad: str) -> str:
    a, b, c, d = quad.split()
    return f"{a} {b} {c} {a} {c} {d}"


INPUTS = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>'
GROUPS = {
    "triangles": f"<triangles>{INPUTS}<p>{_with_normals(' '.join(map(_triangles, QUADS)))}</p></triangles>",
    "polylist": (
        f"<polylist>{INPUTS}<vcount>4 4 4 4 4 4</vcount><p>{_with_normals(' '.join(QUADS))}</p></polylist>"
    ),
    "polygons": f"<polygons>{INPUTS}{''.join(f'<p>{_with_normals(q)}</p>' for q in QUADS)}</polygons>",
    "trifans": f"<trifans>{INPUTS}{''.join(f'<p>{_with_normals(q)}</p>' for q in QUADS)}</trifans>",
    "tristrips": f"<tristrips>{INPUTS}"
    + "".join(
        f"<p>{_with_normals(' '.join([a, b, d, c]))}</p>" for a, b, c, d in map(str.split, QUADS)
    )
    + "</tristrips>",
}


def collada(group: str, node: str = "", asset: str = "") -> str:
    """Return a file with one geometry."""
    scene = (
        f'<library_visual_scenes><visual_scene id="s"><node>{node}<instance_geometry url="#g"/></node>'
        "</visual_scene></library_visual_scenes>"
    )
    return (
        f'<COLLADA><asset>{asset}</asset><library_geometries><geometry id="g"><mesh><source id="p">'
        f'<float_array>{POINTS}</float_array></source><vertices id="v"><input semantic="POSITION" source="#p"/>'
        f"</vertices>{group}</mesh></geometry></library_geometries>{scene if node else ''}</COLLADA>"
    )


@pytest.mark.parametrize("kind", GROUPS)
def test_polygons_of_all_kinds_enclose_the_volume(tmp_path: Path, kind: str) -> None:
    (tmp_path / "box.dae").write_text(collada(GROUPS[kind]))
    mesh = measured(read_triangles(tmp_path / "box.dae"))
    assert mesh.volume == pytest.approx(6.0)
    np.testing.assert_allclose(mesh.centre, [1.0, 0.5, 1.5], atol=1e-12)
    np.testing.assert_allclose(mesh.half_sizes, [1.0, 0.5, 1.5])


@pytest.mark.parametrize(
    ("node", "centre"),
    [
        ("<translate>1 2 3</translate>", [2.0, 2.5, 4.5]),
        ("<translate>1 0 0</translate><rotate>0 0 1 90</rotate>", [0.5, 1.0, 1.5]),
        ("<rotate>0 0 1 90</rotate><translate>1 0 0</translate>", [-0.5, 2.0, 1.5]),
        ("<scale>1 2 1</scale>", [1.0, 1.0, 1.5]),
        ("<matrix>1 0 0 0 0 1 0 5 0 0 1 0 0 0 0 1</matrix>", [1.0, 5.5, 1.5]),
        ("<scale>-1 1 1</scale>", [-1.0, 0.5, 1.5]),
    ],
)
def test_nodes_place_the_geometry(tmp_path: Path, node: str, centre: list[float]) -> None:
    (tmp_path / "box.dae").write_text(collada(GROUPS["triangles"], node))
    mesh = measured(read_triangles(tmp_path / "box.dae"))
    np.testing.assert_allclose(mesh.centre, centre, atol=1e-12)
    assert mesh.volume == pytest.approx(12.0 if "1 2 1" in node else 6.0)


def test_units_and_axes_are_those_of_the_asset(tmp_path: Path) -> None:
    asset = '<unit meter="0.001"/><up_axis>Y_UP</up_axis>'
    (tmp_path / "box.dae").write_text(collada(GROUPS["polylist"], asset=asset))
    mesh = measured(read_triangles(tmp_path / "box.dae"))
    np.testing.assert_allclose(mesh.half_sizes, [0.001, 0.0015, 0.0005])
    np.testing.assert_allclose(mesh.centre, [0.001, -0.0015, 0.0005], atol=1e-15)
    assert mesh.volume == pytest.approx(6e-9)


def test_points_without_polygons_give_the_box(tmp_path: Path) -> None:
    (tmp_path / "box.dae").write_text(collada(""))
    mesh = measured(read_triangles(tmp_path / "box.dae"))
    assert mesh.volume is None
    np.testing.assert_allclose(mesh.half_sizes, [1.0, 0.5, 1.5])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<p>0 0", "<p>900 0"),
        ("<p>0 0", "<p>-1 0"),
        ("<p>0 0", "<p>x 0"),
        ("<p>0 0", "<p>0_1 0"),
        (POINTS, POINTS.replace("2", "0_2", 1)),
        (POINTS, POINTS.replace("3", "three", 1)),
        ("<asset>", '<asset><unit meter="long"/>'),
        ("<translate>1 2 3", "<translate>1 2"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, old: str, new: str) -> None:
    text = collada(GROUPS["triangles"], "<translate>1 2 3</translate>")
    assert old in text
    (tmp_path / "box.dae").write_text(text.replace(old, new, 1))
    with pytest.raises(InputError):
        read_triangles(tmp_path / "box.dae")
