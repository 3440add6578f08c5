"""Triangles of COLLADA files: polygons of all geometries, placed by the nodes of the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.inputs import MESH_TABLE, InputError
from snakestudio.robot_files.elements import Element, float_of, parse_xml, vector_of
from snakestudio.robot_files.rotations import about

_DEEPEST = 32
_MOST_TRIANGLES = 2_000_000
_POLYGONS = ("triangles", "polylist", "polygons", "trifans", "tristrips")


def collada_triangles(data: bytes) -> FloatArray:
    """Return the corners of the triangles of a COLLADA file, (n, 3, 3), m, z up.

    A file with points only gives a triangle without area for each point, so that its box is correct.

    Raises `InputError` if it is damaged.
    """
    root = parse_xml(data, MESH_TABLE)
    by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    asset = root.find("asset") or Element("asset")
    unit = asset.find("unit")
    metres = 1.0 if unit is None else float_of(unit.get("meter", "1") or "1", "unit of length")
    parts = [
        _placed(_triangles(geometry, by_id), matrix) for geometry, matrix in _instances(root, by_id)
    ]
    corners = np.concatenate(parts) if parts else np.zeros((0, 3, 3))
    if len(corners) > _MOST_TRIANGLES:
        raise InputError(
            f"the mesh has more than {_MOST_TRIANGLES} triangles", "export it with fewer"
        )
    corners *= metres
    if asset.text_of("up_axis") == "Y_UP":
        corners = corners[:, :, [0, 2, 1]] * [1.0, -1.0, 1.0]
    return corners


def _instances(root: Element, by_id: dict[str, Element]) -> Iterator[tuple[Element, FloatArray]]:
    """Yield the geometries in the scene, each with its (4, 4) transformation; all of them if there is no scene."""
    scenes = [element for element in root.iter() if element.tag == "visual_scene"]
    pending = [(node, np.eye(4), 0) for scene in scenes[:1] for node in scene.all("node")]
    count = 0
    while pending:
        node, outer, depth = pending.pop()
        matrix = outer @ _transformation(node)
        for instance in node.all("instance_geometry"):
            geometry = by_id.get(instance.get("url").removeprefix("#"))
            if geometry is not None:
                count += 1
                yield geometry, matrix
        inner = node.all("node")
        for instance in node.all("instance_node"):
            target = by_id.get(instance.get("url").removeprefix("#"))
            inner += [] if target is None else [target]
        if depth > _DEEPEST or len(pending) > MESH_TABLE.values:
            raise InputError("the nodes of the mesh are nested too deeply", "export it again")
        pending += [(child, matrix, depth + 1) for child in inner]
    if not count:
        for geometry in (element for element in root.iter() if element.tag == "geometry"):
            yield geometry, np.eye(4)


def _transformation(node: Element) -> FloatArray:
    """Return the product of the transformations of a node, (4, 4)."""
    result = np.eye(4)
    for child in node.children:
        step = np.eye(4)
        if child.tag == "matrix":
            step = vector_of(child.text, 16, "matrix of the mesh").reshape(4, 4)
        elif child.tag == "translate":
            step[:3, 3] = vector_of(child.text, 3, "translation of the mesh")
        elif child.tag == "scale":
            step[:3, :3] = np.diag(vector_of(child.text, 3, "scale of the mesh"))
        elif child.tag == "rotate":
            x, y, z, angle = vector_of(child.text, 4, "rotation of the mesh")
            if x or y or z:
                step[:3, :3] = about((x, y, z), math.radians(angle))
        else:
            continue
        result = result @ step
    return result


def _placed(corners: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return the triangles in the scene; a mirrored geometry keeps its outside."""
    moved: FloatArray = corners @ matrix[:3, :3].T + matrix[:3, 3]
    return moved[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else moved


def _triangles(geometry: Element, by_id: dict[str, Element]) -> FloatArray:
    parts = [
        _polygons(group, mesh, by_id)
        for mesh in geometry.all("mesh", "convex_mesh")
        for group in mesh.all(*_POLYGONS)
    ]
    parts = [part for part in parts if len(part)]
    if parts:
        return np.concatenate(parts)
    points = [
        _points(vertices, by_id)
        for mesh in geometry.all("mesh", "convex_mesh")
        for vertices in mesh.all("vertices")
    ]
    flat = np.concatenate(points) if points else np.zeros((0, 3))
    return flat[:, None, :].repeat(3, axis=1)


def _polygons(group: Element, mesh: Element, by_id: dict[str, Element]) -> FloatArray:
    """Return the triangles of a group of polygons."""
    inputs = group.all("input")
    vertex = next((each for each in inputs if each.get("semantic") == "VERTEX"), None)
    vertices = None if vertex is None else by_id.get(vertex.get("source").removeprefix("#"))
    if vertex is None or vertices is None:
        return np.zeros((0, 3, 3))
    offsets = [_integers(each.get("offset", "0") or "0") for each in inputs]
    stride = 1 + max(int(offset[0]) if len(offset) else 0 for offset in offsets)
    points = _points(vertices, by_id)
    own = int(_integers(vertex.get("offset", "0") or "0")[0])
    corners: list[tuple[int, int, int]] = []
    for lists in group.all("p"):
        flat = _integers(lists.text)
        indices = flat[: len(flat) // stride * stride].reshape(-1, stride)[:, own].tolist()
        corners += _split(group, indices)
    try:
        triangles: FloatArray = points[np.array(corners, dtype=int).reshape(-1, 3)]
    except IndexError:
        raise InputError("the mesh is damaged", "export it again") from None
    return triangles


def _split(group: Element, indices: list[int]) -> list[tuple[int, int, int]]:
    """Return the corners of triangles from the vertices of a <p>."""
    if group.tag == "triangles":
        return [tuple(indices[k : k + 3]) for k in range(0, len(indices) - 2, 3)]  # type: ignore[misc]
    if group.tag == "tristrips":
        strip = [tuple(indices[k : k + 3]) for k in range(len(indices) - 2)]
        return [(a, b, c) if k % 2 == 0 else (b, a, c) for k, (a, b, c) in enumerate(strip)]
    sizes = [len(indices)]
    if group.tag == "polylist":
        sizes = _integers(group.text_of("vcount")).tolist()
    result = []
    first = 0
    for size in sizes:
        polygon = indices[first : first + size]
        result += [(polygon[0], polygon[k], polygon[k + 1]) for k in range(1, len(polygon) - 1)]
        first += size
    return result


def _points(vertices: Element, by_id: dict[str, Element]) -> FloatArray:
    """Return the positions of <vertices>, (n, 3)."""
    for source in vertices.all("input"):
        if source.get("semantic") != "POSITION":
            continue
        holder = by_id.get(source.get("source").removeprefix("#"))
        table = None if holder is None else holder.find("float_array")
        if table is not None:
            try:
                if "_" in table.text:  # Python alone accepts underscores
                    raise ValueError
                flat = np.array(table.text.split(), dtype=np.float64)
            except ValueError:
                raise InputError(
                    "the mesh has points that are not numbers", "export it again"
                ) from None
            return flat[: len(flat) // 3 * 3].reshape(-1, 3)
    return np.zeros((0, 3))


def _integers(text: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    try:
        if "_" in text:
            raise ValueError
        values = np.array(text.split(), dtype=np.int64)
    except (ValueError, OverflowError):
        raise InputError("the mesh is damaged", "export it again") from None
    if len(values) and values.min() < 0:
        raise InputError("the mesh is damaged", "export it again")
    return values
