"""oclide.rerun: what is logged of a frame. Without rerun-sdk only what it says then is tested."""

import re
import subprocess
import sys
import types

import numpy as np
import oclide
import pytest
from oclide import Shape


def scene():
    """Every shape, 3 m apart, over terrain with a hole and a vertex without data."""
    heights = np.zeros((3, 4))
    heights[2, 3] = np.nan
    holes = np.zeros((2, 3), np.uint8)
    holes[0, 0] = 1
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    shapes = [Shape.SPHERE, Shape.BOX, Shape.CYLINDER, Shape.CAPSULE, Shape.CONVEX_HULL, Shape.HALF_SPACE,
              Shape.COMPOUND, Shape.TRIANGLE_MESH]
    size = [[1, 0, 0], [1, 2, 3], [1, 2, 0], [1, 2, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    made = oclide.Scene(
        oclide.Bodies(shapes, size), terrains=[oclide.Terrain(heights, origin=(100.0, 0.0), holes=holes)], hulls=[cube],
        meshes=[oclide.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])],
        compounds=[oclide.Compound([Shape.BOX, Shape.CAPSULE], [[1, 1, 1], [1, 2, 0]], position=[[0, 0, 1], [0, 0, -1]],
                                   orientation=[[1, 0, 0, 0], [1, 0, 0, 1]])])
    position = np.column_stack([100.0 + 3.0 * np.arange(8), np.zeros(8), np.ones(8)])
    return made, position, np.tile([2.0, 0.0, 0.0, 0.0], (8, 1))


def test_hull_surface_is_closed_and_outward():
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    vertices, triangles = oclide._oclide.hull_surface(np.vstack([cube, [[0, 0, 0]]]))
    assert vertices.shape == (8, 3) and triangles.shape == (12, 3)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.isclose(np.sum(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6.0, 8.0)
    with pytest.raises(oclide.InvalidInputError, match="points"):
        oclide._oclide.hull_surface(np.zeros((5, 3)))


def test_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(oclide.InvalidInputError, match="pip install rerun-sdk"):
        oclide.rerun(*scene())


def test_terrain_is_drawn_as_its_cells_are_cut():
    even = np.add.outer(np.arange(2), np.arange(3)) % 2 == 0
    for diagonal, rises in (("falling", even & False), ("rising", even | True), ("alternating_rising", even),
                            ("alternating_falling", ~even)):
        drawn = {}
        made = oclide.Scene(oclide.Bodies([], []), terrains=[oclide.Terrain(np.zeros((3, 4)), diagonal=diagonal)])
        oclide._rerun._log_terrain(types.SimpleNamespace(Mesh3D=dict), drawn.__setitem__, made, np.zeros(3))
        triangles = drawn["terrain/0"]["triangle_indices"].reshape(2, 3, 2, 3)
        points = drawn["terrain/0"]["vertex_positions"][triangles][..., :2]
        a, b = points[..., 1, :] - points[..., 0, :], points[..., 2, :] - points[..., 0, :]
        assert (a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0] == 1.0).all()  # half a cell, seen from above
        first = np.arange(2)[:, None] * 4 + np.arange(3)
        for k in range(2):
            one, other = (triangles[:, :, k] == first[..., None] + step for step in (0, 5))
            both = one.any(-1) & other.any(-1)
            assert (both == rises).all()


def test_a_frame_is_logged(tmp_path):
    rr = pytest.importorskip("rerun")
    rr.set_strict_mode(True)  # what cannot be logged is an error
    made, position, orientation = scene()
    collider = oclide.Collider("reference")
    collider.set_scene(made)
    frame = collider.collide(position, orientation)
    impacts = collider.sweep(position, orientation, np.tile([0.0, 0.0, -1.0], (8, 1)))
    rays = position + [0.0, 0.0, 9.0], np.tile([0.0, 0.0, -1.0], (8, 1))
    hits = collider.cast(position, orientation, *rays)
    recording = rr.RecordingStream("test")
    file = tmp_path / "frame.rrd"
    recording.save(str(file))
    for k in range(2):
        oclide.rerun(made, position, orientation, contacts=frame, impacts=impacts.impacts, rays=rays, hits=hits,
                     frame=3 + k, origin=(100.0, 0.0, 0.0), recording=recording)
    recording.flush()
    recording.disconnect()
    printed = subprocess.run([sys.executable, "-m", "rerun", "rrd", "print", "-v", str(file)], capture_output=True,
                             text=True, check=True).stdout
    for entity in ("terrain/0", "bodies/spheres", "bodies/boxes", "bodies/cylinders", "bodies/capsules",
                   "bodies/hulls/0", "bodies/half_spaces", "bodies/meshes/0", "contacts/points", "contacts/normals",
                   "impacts/points", "rays"):
        assert f"/oclide/{entity}" in printed, entity
    # What bodies are made of is there once, where they are with each frame.
    rows = {name: sum(int(count) for count in re.findall(rf"with (\d+) rows .*@{name}\b", printed))
            for name in ("Boxes3D:half_sizes", "Capsules3D:lengths", "Boxes3D:centers", "Capsules3D:translations",
                         "InstancePoses3D:translations")}
    assert list(rows.values()) == [1, 1, 2, 2, 6], rows
    assert sum(int(count) for count in re.findall(r"with (\d+) rows .*@Mesh3D:vertex_positions", printed)) == 4
    with pytest.raises(oclide.InvalidInputError, match="position has shape"):
        oclide.rerun(made, position[:3], orientation, recording=recording)
