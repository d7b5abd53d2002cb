"""Both file formats, written and read."""

import os
import pathlib

import numpy as np
import oclide
import pytest
from conftest import collider_with, heap, upright


def full_scene():
    random = np.random.default_rng(5)
    terrains = [
        oclide.Terrain(random.uniform(size=(3, 5)), origin=(1.0, 2.0), spacing=(0.5, 0.25),
                       holes=random.integers(0, 2, (2, 4)), material=random.integers(0, 255, (2, 4))),
        oclide.Terrain([[0.0, np.nan], [1.0, 2.0]], diagonal="alternating_falling"),
    ]
    bodies = oclide.Bodies([0, 1, 2, 3, 5], random.uniform(0.1, 1.0, (5, 3)), environment=[0, 1, 1, 0, 0],
                           group=[0, -3, 0, 0, 1], category=[1, 2, 4, 8, 1 << 31], mask=[0xFFFFFFFF, 1, 2, 3, 4])
    return oclide.Scene(bodies, terrains=terrains, environment_terrain=[1, -1])


def test_a_scene_comes_back_as_it_was_written(tmp_path):
    scene, file = full_scene(), tmp_path / "scene.h5"
    random = np.random.default_rng(6)
    position, orientation = random.normal(size=(3, 5, 3)), random.normal(size=(5, 4))
    oclide.write_scene(file, scene, position, orientation, heights="float64")
    found = oclide.read_scene(str(file))
    assert len(found) == 3
    for name in ("shape", "size", "environment", "group", "category", "mask"):
        assert np.array_equal(getattr(found.scene.bodies, name), getattr(scene.bodies, name)), name
    assert found.scene.environment_terrain.tolist() == [1, -1]
    for ours, theirs in zip(found.scene.terrains, scene.terrains):
        assert np.array_equal(ours.heights, theirs.heights, equal_nan=True)
        assert ours.origin == theirs.origin and ours.spacing == theirs.spacing and ours.diagonal == theirs.diagonal
    assert np.array_equal(found.scene.terrains[0].holes, scene.terrains[0].holes)
    assert np.array_equal(found.scene.terrains[0].material, scene.terrains[0].material)
    assert found.scene.terrains[1].holes is None
    for k, (p, q) in enumerate(found):
        assert np.array_equal(p, position[k]) and np.array_equal(q, orientation)
    assert np.array_equal(found[-1][0], position[2])
    with pytest.raises(IndexError):
        found[3]


def test_what_optional_arrays_are_not_there_stays_so(tmp_path):
    scene, position, orientation = heap(10)
    oclide.write_scene(tmp_path / "s.h5", scene, position, orientation)
    found = oclide.read_scene(tmp_path / "s.h5").scene
    assert found.bodies.environment is None and found.bodies.group is None and found.environment_terrain is None
    assert found.compounds == [] and found.hulls == [] and found.meshes == []


def test_meshes_come_back_as_they_were_written(tmp_path):
    corners, triangles = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0],
                          [0, 0, 1 / 3]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    meshes = [oclide.Mesh(corners, triangles, material=[1, 2, 3, 255], solid=True), oclide.Mesh(corners, triangles[:1])]
    scene = oclide.Scene(oclide.Bodies([oclide.Shape.TRIANGLE_MESH, 0], [[1, 0, 0], [0.5, 0, 0]]), meshes=meshes)
    oclide.write_scene(tmp_path / "s.h5", scene, [[0.0, 0, 0], [5.0, 0, 0]], upright(2))
    found = oclide.read_scene(tmp_path / "s.h5").scene
    assert [len(mesh) for mesh in found.meshes] == [4, 1] and [mesh.solid for mesh in found.meshes] == [True, False]
    for ours, theirs in zip(found.meshes, meshes):
        assert np.array_equal(ours.vertices, theirs.vertices) and np.array_equal(ours.triangles, theirs.triangles)
    assert found.meshes[0].material.tolist() == [1, 2, 3, 255] and found.meshes[1].material is None


def test_elements_come_back_as_they_were_written(tmp_path):
    contacts = np.zeros(3, oclide.CONTACT_DTYPE)
    contacts["element"] = [0, 7, oclide.NONE]
    oclide.write_contacts(tmp_path / "c.h5", [contacts])
    assert oclide.read_contacts(tmp_path / "c.h5")[0]["element"].tolist() == [0, 7, oclide.NONE]


def test_compounds_come_back_as_they_were_written(tmp_path):
    random = np.random.default_rng(7)
    compounds = [oclide.Compound([0, 1], random.uniform(0.5, 1, (2, 3)), random.uniform(-1, 1, (2, 3)),
                                 random.normal(size=(2, 4))), oclide.Compound([3], [[0.5, 1.0, 0.0]])]
    scene = oclide.Scene(oclide.Bodies([6, 6, 0], [[1, 0, 0], [0, 0, 0], [0.5, 0, 0]]), compounds=compounds)
    position = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])
    oclide.write_scene(tmp_path / "s.h5", scene, position, upright(3))
    found = oclide.read_scene(tmp_path / "s.h5")
    assert len(found.scene.compounds) == 2
    for ours, theirs in zip(found.scene.compounds, compounds):
        for name in ("shape", "size", "position", "orientation"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    frames = [collider_with(s).collide(*found[0]) for s in (scene, found.scene)]
    assert oclide.contact_hash(frames[0]) == oclide.contact_hash(frames[1]) and len(frames[0]) > 1
    assert frames[0].shape_b.any() or frames[0].shape_a.any()
    oclide.write_contacts(tmp_path / "c.h5", frames)
    assert all(np.array_equal(c, frames[0].contacts) for c in oclide.read_contacts(tmp_path / "c.h5"))


def test_frames_stream_into_a_file(tmp_path):
    scene, position, orientation = heap(10)
    with oclide.SceneWriter(tmp_path / "s.h5", scene, 4) as writer:
        for k in range(4):
            writer.append(position + k, orientation)
    assert [p[0, 0] for p, _ in oclide.read_scene(tmp_path / "s.h5")] == [position[0, 0] + k for k in range(4)]
    with pytest.raises(oclide.InvalidInputError, match="complete"):
        writer.append(position, orientation)


def test_a_file_that_was_not_finished_is_not_there(tmp_path):
    scene, position, orientation = heap(10)
    with pytest.raises(RuntimeError, match="on the way"), oclide.SceneWriter(tmp_path / "s.h5", scene, 2) as writer:
        writer.append(position, orientation)
        raise RuntimeError("on the way")
    with pytest.raises(oclide.InvalidInputError, match="fewer frames"):
        with oclide.SceneWriter(tmp_path / "s.h5", scene, 2) as writer:
            writer.append(position, orientation)
    with pytest.raises(oclide.InvalidInputError, match="position has 27 numbers for 10 bodies"):
        with oclide.SceneWriter(tmp_path / "s.h5", scene, 2) as writer:
            writer.append(position[:9], orientation)

    def frames():
        yield np.zeros(1, oclide.CONTACT_DTYPE)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        oclide.write_contacts(tmp_path / "c.h5", frames())
    assert os.listdir(tmp_path) == []


def test_contacts_come_back_bit_for_bit(tmp_path, device):
    scene, position, orientation = heap(50)
    collider = collider_with(scene, device)
    found = [collider.collide(p, orientation) for p in (position, 100.0 * position + [0, 0, 900.0], position + 0.02)]
    assert len(found[1]) == 0 < len(found[2])
    oclide.write_contacts(tmp_path / "c.h5", (f if k else f.contacts for k, f in enumerate(found)),
                          device=collider.device.name, scene="heap.h5")
    file = oclide.read_contacts(tmp_path / "c.h5")
    assert (len(file), file.device, file.scene) == (3, collider.device.name, "heap.h5")
    assert file.total == sum(map(len, found))
    for ours, theirs in zip(file, found):
        assert oclide.contact_hash(ours) == oclide.contact_hash(theirs) and np.array_equal(ours, theirs.contacts)
    with pytest.raises(IndexError):
        file[-4]


def test_files_that_are_none_are_refused_by_name(tmp_path):
    scene, position, orientation = heap(10)
    (tmp_path / "text").write_text("no HDF5")
    oclide.write_scene(tmp_path / "s.h5", scene, position, orientation)
    for read, name, text in [(oclide.read_scene, "none.h5", "No such file"),
                             (oclide.read_scene, "text", "is not an HDF5 file"),
                             (oclide.read_contacts, "s.h5", "must be 'oclide-contacts'"),
                             (oclide.read_contacts, "text", "is not an HDF5 file")]:
        with pytest.raises(oclide.InvalidInputError, match=text) as error:
            read(tmp_path / name)
        assert str(error.value).startswith(str(tmp_path / name))


def test_what_cannot_be_written_is_refused(tmp_path):
    scene, position, orientation = heap(10)
    with pytest.raises(oclide.InvalidInputError, match="has 1 axes"):
        oclide.write_scene(tmp_path / "s.h5", scene, position[0], orientation)
    with pytest.raises(oclide.InvalidInputError, match="frames"):
        oclide.write_scene(tmp_path / "s.h5", scene, [position] * 2, [orientation] * 3)
    with pytest.raises(oclide.InvalidInputError, match="float16"):
        oclide.write_scene(tmp_path / "s.h5", scene, position, orientation, heights="float16")
    with pytest.raises(oclide.InvalidInputError, match="radius"):
        oclide.write_scene(tmp_path / "s.h5", oclide.Scene(oclide.Bodies([0], [[-1, 0, 0]])), np.zeros((1, 3)),
                           upright(1))
    with pytest.raises(oclide.InvalidInputError, match="cannot be written"):
        oclide.write_contacts(tmp_path / "missing" / "c.h5", [])
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("path", ["scene\0.h5", b"scene\0.h5", pathlib.Path("scene\0.h5")])
def test_a_path_with_a_nul_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene, position, orientation = heap(3)
    for call in (lambda: oclide.read_scene(path), lambda: oclide.read_contacts(path),
                 lambda: oclide.write_scene(path, scene, position, orientation),
                 lambda: oclide.write_contacts(path, []), lambda: oclide.Collider("reference", cache_directory=path)):
        with pytest.raises(oclide.InvalidInputError, match="a path cannot have a NUL character"):
            call()
    with pytest.raises(oclide.InvalidInputError, match="attribute 'device' cannot have a NUL character"):
        oclide.write_contacts("contacts.h5", [], device="a\0b")
    assert os.listdir(tmp_path) == []
