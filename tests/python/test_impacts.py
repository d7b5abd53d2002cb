"""Impacts from Python: closed forms, arrays in and out, files, what is refused."""

import json
import math
import subprocess

import numpy as np
import oclide
import pytest
from conftest import collider_with, two_bodies, upright


def bullet_and_plate():
    """A ball of 5 cm at x = -3, and a plate of 1 cm at x = 0."""
    bodies = oclide.Bodies([oclide.Shape.SPHERE, oclide.Shape.BOX], [[0.025, 0, 0], [0.005, 0.5, 0.5]])
    return oclide.Scene(bodies), np.array([[-3.0, 0.1, 0.2], [0.0, 0.0, 0.0]]), upright(2)


def test_a_bullet_does_not_pass_through_a_plate(device):
    scene, position, orientation = bullet_and_plate()
    collider = collider_with(scene, device)
    impacts = collider.sweep(position, orientation, [[300.0, 0, 0], [0, 0, 0]])
    assert len(impacts) == 1 and "1 impacts" in repr(impacts)
    assert impacts.body_a.tolist() == [0] and impacts.body_b.tolist() == [1]
    np.testing.assert_allclose(impacts.time * 300.0, [3.0 - 0.03], atol=1.1e-4)
    np.testing.assert_allclose(impacts.point, [[-0.005, 0.1, 0.2]], atol=3e-4)
    np.testing.assert_allclose(impacts.normal, [[-1.0, 0.0, 0.0]], atol=1e-4)
    assert impacts.element.tolist() == [oclide.NONE] and not impacts.feature.any() and not impacts.material.any()
    assert not impacts.shape_a.any() and not impacts.shape_b.any()
    assert impacts.milliseconds.total > 0 and "narrow_phase=" in repr(impacts.milliseconds)
    assert len(collider.sweep(position, orientation)) == 0
    assert len(collider.sweep(position, orientation, [[2.9, 0, 0], [0, 0, 0]])) == 0
    assert len(collider.sweep(position, orientation, None, [[0, 0, 9.0], [0, 0, 9.0]])) == 0


def test_what_turns_meets_what_stands_beside_it(device):
    """A rod of 2 m turns about its middle by a whole turn, and ends where it began."""
    bodies = oclide.Bodies([oclide.Shape.CAPSULE, oclide.Shape.SPHERE], [[0.05, 0.95, 0], [0.05, 0, 0]])
    collider = collider_with(oclide.Scene(bodies), device)
    lying = np.array([[math.cos(math.pi / 4), 0.0, math.sin(math.pi / 4), 0.0], [1, 0, 0, 0]])  # its axis along x
    impacts = collider.sweep([[0, 0, 0], [0, 0.8, 0]], lying, rotation=[[0, 0, 2 * math.pi], [0, 0, 0]])
    assert len(impacts) == 1
    np.testing.assert_allclose(impacts.time, [0.25 - math.asin(0.1 / 0.8) / (2 * math.pi)], atol=1e-4)


def test_bodies_fall_on_terrain(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    impacts = collider.sweep(position + [0, 0, 1.0], orientation, np.tile([0.0, 0.0, -2.0], (2, 1)))
    assert impacts.body_b.tolist() == [oclide.TERRAIN] * 2 and impacts.material.tolist() == [7, 7]
    np.testing.assert_allclose(impacts.time, [(1.48 - 0.5) / 2, (1.19 - 0.2) / 2], atol=1e-4)
    assert (impacts.element < 12).all()
    resting = collider.sweep(position, orientation)
    assert resting.time.tolist() == [0.0, 0.0]


def test_arrays_are_views_that_outlive_the_collider(device):
    scene, position, orientation = bullet_and_plate()
    collider = collider_with(scene, device)
    impacts = collider.sweep(position, orientation, np.array([[6, 0, 0], [0, 0, 0]], np.float32))
    time = impacts.time
    for array in (impacts.impacts, time, impacts.point, impacts.normal, impacts.body_a, impacts.element):
        assert array.flags.writeable and not array.flags.owndata
    assert np.shares_memory(time, impacts.impacts) and impacts.impacts.dtype == oclide.IMPACT_DTYPE
    hash_of_all = oclide.impact_hash(impacts)
    assert hash_of_all == oclide.impact_hash(impacts.impacts) != oclide.impact_hash(impacts, seed=1)
    kept = time.copy()
    collider.sweep(position, orientation, [[4, 0, 0], [0, 0, 0]])
    del impacts, collider
    np.testing.assert_array_equal(time, kept)


def test_impacts_are_validated(device):
    scene, position, orientation = bullet_and_plate()
    way = [[6.0, 0, 0], [0, 0, 0]]
    impacts = collider_with(scene, device).sweep(position, orientation, way)
    validator = oclide.Validator(scene)
    validator.add_sweep(position, orientation, impacts, way)
    report = validator.sweep_report
    assert report.holds and report.sweeps == 1 and report.impacts_device == report.impacts_reference == 1
    wrong = impacts.impacts.copy()
    wrong["time"] += 0.01
    validator.add_sweep(position, orientation, wrong, displacement=way)
    report = validator.sweep_report
    assert not report.holds and report.wrong_impacts == 1 and report.examples
    validator.add_sweep(position, orientation, wrong[:0], way)
    assert validator.sweep_report.only_reference == 1


@pytest.mark.parametrize("change, what", [
    ({"displacement": [[0.0, np.nan, 0.0], [0, 0, 0]]}, r"displacement\[0\]\[1\] is not finite"),
    ({"rotation": [[0, 0, 0], [0, 0, 2e7]]}, r"rotation\[1\]\[2\] is beyond 1e7 rad"),
    ({"displacement": np.zeros((3, 3))}, r"displacement has shape \(3, 3\), but must have \(2, 3\)"),
    ({"rotation": np.zeros((0, 3))}, r"rotation has shape \(0, 3\)"),
    ({"rotation": np.zeros((2, 4))}, r"rotation has shape \(2, 4\)"),
    ({"displacement": [["far", "near", "up"]] * 2}, "displacement has dtype"),
    ({"rotation": np.ma.masked_equal([[1.0, 2.0, 3.0]] * 2, 2.0)}, r"rotation\[0\]\[1\] is masked"),
    ({"position": np.zeros((1, 3)), "orientation": upright(1), "displacement": None}, "position"),
])
def test_motion_that_cannot_be_used_is_refused(change, what):
    scene, position, orientation = bullet_and_plate()
    given = {"position": position, "orientation": orientation, "displacement": [[6, 0, 0], [0, 0, 0]]}
    collider = collider_with(scene, "reference")
    with pytest.raises(oclide.InvalidInputError, match=what):
        collider.sweep(**(given | change))
    assert len(collider.sweep(**given)) == 1
    with pytest.raises(oclide.InvalidInputError, match="IMPACT_DTYPE"):
        oclide.impact_hash(np.zeros(3))


def test_scene_files_keep_the_motion(tmp_path):
    scene, position, orientation = bullet_and_plate()
    file = tmp_path / "scene.h5"
    way = np.arange(18.0).reshape(3, 2, 3) / 7.0
    oclide.write_scene(file, scene, position, orientation, way, [[0, 0, 1.0], [0, 2.0, 0]])
    read = oclide.read_scene(file)
    assert len(read) == 3
    for k in range(3):
        displacement, rotation = read.motion(k)
        np.testing.assert_array_equal(displacement, way[k])
        np.testing.assert_array_equal(rotation, [[0, 0, 1], [0, 2, 0]])
    oclide.write_scene(file, scene, position, orientation, rotation=way[0])
    assert oclide.read_scene(file).motion(-1)[0] is None
    np.testing.assert_array_equal(oclide.read_scene(file).motion(0)[1], way[0])
    oclide.write_scene(file, scene, position, orientation)
    assert oclide.read_scene(file).motion(0) == (None, None)
    with pytest.raises(IndexError):
        oclide.read_scene(file).motion(1)
    with pytest.raises(oclide.InvalidInputError, match="rotation has 2 frames, but displacement has 3"):
        oclide.write_scene(file, scene, position, orientation, way, way[:2])
    with pytest.raises(oclide.InvalidInputError, match="displacement has 1 axes"):
        oclide.write_scene(file, scene, position, orientation, way[0, 0])
    with pytest.raises(oclide.InvalidInputError, match=r"displacement\[1\]\[0\] is not finite"):
        oclide.write_scene(file, scene, position, orientation, [[0, 0, 0], [np.inf, 0, 0]])
    with oclide.SceneWriter(tmp_path / "other.h5", scene, 1, displacement=True) as writer:
        with pytest.raises(oclide.InvalidInputError, match="displacement is missing"):
            writer.append(position, orientation)
        with pytest.raises(oclide.InvalidInputError, match="rotation is given"):
            writer.append(position, orientation, way[0], way[0])
        writer.append(position, orientation, way[0])


def test_the_command_finds_the_same_impacts(tmp_path, command):
    scene, position, orientation = bullet_and_plate()
    way = np.zeros((3, 2, 3))
    way[0, 0], way[2, 0] = [6.0, 0, 0], [4.0, 0, 0]
    oclide.write_scene(tmp_path / "scene.h5", scene, position, orientation, way)
    output = subprocess.run([command, "run", tmp_path / "scene.h5", "--continuous", "--json", "--device", "reference",
                             "-o", tmp_path / "contacts.h5"], check=True, capture_output=True, text=True).stdout
    found = json.loads(output)
    assert found["impacts"] == 2
    collider = collider_with(scene, "reference")
    read = oclide.read_scene(tmp_path / "scene.h5")
    chain = 0
    contacts = oclide.read_contacts(tmp_path / "contacts.h5")
    assert contacts.has_impacts
    for k, (p, q) in enumerate(read):
        impacts = collider.sweep(p, q, *read.motion(k))
        chain = oclide.impact_hash(impacts, chain)
        assert oclide.impact_hash(contacts.impacts(k)) == oclide.impact_hash(impacts)
    assert f"{chain:016x}" == found["impact_hash"]

    with oclide.ContactWriter(tmp_path / "again.h5", impacts=True) as writer:
        for k in range(3):
            writer.append(contacts[k], contacts.impacts(k))
        with pytest.raises(oclide.InvalidInputError, match="impacts are missing"):
            writer.append(contacts[0])
    again = oclide.read_contacts(tmp_path / "again.h5")
    assert [len(again.impacts(k)) for k in range(3)] == [1, 0, 1]
    oclide.write_contacts(tmp_path / "plain.h5", [contacts[0]])
    plain = oclide.read_contacts(tmp_path / "plain.h5")
    assert not plain.has_impacts and len(plain.impacts(0)) == 0
