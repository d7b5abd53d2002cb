"""Poses in, contacts out; what is refused, and by which name."""

import warnings

import numpy as np
import oclide
import pytest
from conftest import collider_with, heap, two_bodies, upright


def test_contacts_of_a_sphere_and_a_box_on_level_ground(device):
    scene, position, orientation = two_bodies()
    frame = collider_with(scene, device).collide(position, orientation)
    assert len(frame) == 5 and frame.pairs == 2 and frame.body_pairs == 0
    assert frame.body_a.tolist() == [0, 1, 1, 1, 1]
    assert (frame.body_b == oclide.TERRAIN).all() and (frame.material == 7).all()
    assert frame.depth == pytest.approx([0.02, 0.01, 0.01, 0.01, 0.01], abs=1e-6)
    assert np.allclose(frame.normal, [0, 0, 1]) and np.allclose(frame.point[0], [2.0, 5.0, -0.02])
    assert frame.manifold.tolist() == [0, 1, 1, 1, 1] and len(set(frame.feature[1:])) == 4
    assert frame.milliseconds.total > 0.0


def test_columns_are_views_of_the_contacts(device):
    scene, position, orientation = heap(60)
    frame = collider_with(scene, device).collide(position, orientation)
    contacts = frame.contacts
    assert len(contacts) == len(frame) > 60 and contacts.dtype == oclide.CONTACT_DTYPE
    for name in contacts.dtype.names:
        column = getattr(frame, name)
        assert column.dtype == contacts.dtype[name].base
        assert np.array_equal(column, contacts[name])
        assert np.shares_memory(column, contacts) and column.flags.writeable, name


def test_update_finds_what_collide_finds(device):
    scene, position, orientation = heap(80)
    collider, other = collider_with(scene, device), collider_with(scene, device)
    for shift in (0.0, 0.01, 0.02):
        moved = position + [shift, 0.0, 0.0]
        assert oclide.contact_hash(collider.update(moved, orientation)) == oclide.contact_hash(
            other.collide(moved, orientation))


def test_staged_poses_give_the_same(device):
    scene, position, orientation = heap(80)
    collider = collider_with(scene, device)
    staged = collider.stage(position, orientation)
    position_then = position.copy()
    position[:] = 0.0  # a copy has been taken
    frame = collider.collide_staged(staged)
    assert oclide.contact_hash(frame) == oclide.contact_hash(collider.collide(position_then, orientation))
    with pytest.raises(oclide.InvalidInputError, match="used up"):
        collider.collide_staged(staged)


@pytest.mark.parametrize("change", [
    lambda a: a.astype(np.float64, order="F"),
    lambda a: np.repeat(a, 2, axis=0)[::2],
    lambda a: a.astype(">f8"),
    lambda a: a.tolist(),
    lambda a: np.concatenate([a, a], axis=1)[:, :a.shape[1]],
], ids=["columns first", "strided", "big endian", "list", "part of a row"])
def test_other_layouts_are_converted(change):
    scene, position, orientation = heap(50)
    collider = collider_with(scene)
    wanted = oclide.contact_hash(collider.collide(position, orientation))
    assert oclide.contact_hash(collider.collide(change(position), change(orientation))) == wanted


def test_float32_poses_are_those_numbers_as_float64():
    scene, position, orientation = heap(50)
    collider = collider_with(scene)
    p, q = position.astype(np.float32), orientation.astype(np.float32)
    assert oclide.contact_hash(collider.collide(p, q)) == oclide.contact_hash(
        collider.collide(p.astype(np.float64), q.astype(np.float64)))


def test_poses_are_borrowed_where_they_can_be():
    position = np.zeros((3, 3))
    assert oclide._arrays.real(position, "position") is position
    assert np.shares_memory(oclide.Terrain(position).heights, position)
    shape = np.zeros(3, np.uint8)
    assert np.shares_memory(oclide.Bodies(shape, position).shape, shape)


@pytest.mark.parametrize("position, orientation, text", [
    (np.zeros((2, 2)), upright(2), r"position has shape \(2, 2\), but must have \(n, 3\)"),
    (np.zeros(6), upright(2), r"position has shape \(6,\)"),
    (np.zeros((1, 3)), upright(2), "position"),
    (np.zeros((2, 3)), upright(3), "orientation"),
    (np.zeros((2, 3)), np.zeros((4, 2)), r"orientation has shape \(4, 2\)"),
    (np.zeros((2, 3), complex), upright(2), "position has dtype complex128, but must hold real numbers"),
    (np.array([["a"] * 3] * 2), upright(2), "position has dtype <U1"),
    ([[1.0], [1.0, 2.0]], upright(2), "position is no array"),
    ([[None] * 3] * 2, upright(2), "position has dtype object"),
    (np.zeros((2, 3)), [[1, 0, 0, 0], [0, 0, 0, 0]], r"orientation\[1\]"),
    ([[0, 0, 0], [0, np.nan, 0]], upright(2), r"position\[1\]\[1\]|position\[4\]|position\[1\]"),
])
def test_bad_poses_are_refused_by_name(device, position, orientation, text):
    scene, good, upright_two = two_bodies()
    collider = collider_with(scene, device)
    for call in (collider.collide, collider.update, collider.stage):
        with pytest.raises(oclide.InvalidInputError, match=text) as error:
            call(position, orientation)
        assert isinstance(error.value, ValueError) and isinstance(error.value, oclide.Error)
    assert len(collider.collide(good, upright_two)) == 5


def test_calls_before_a_scene_are_errors(device):
    collider = oclide.Collider(device)
    for call in (lambda: collider.collide(np.zeros((0, 3)), np.zeros((0, 4))),
                 lambda: collider.update(np.zeros((0, 3)), np.zeros((0, 4))),
                 lambda: collider.stage(np.zeros((0, 3)), np.zeros((0, 4))),
                 lambda: collider.update_heights(0, 0, 0, [[0.0]])):
        with pytest.raises(oclide.InvalidInputError, match="no scene has been set"):
            call()


def test_staged_poses_of_another_collider_or_scene_are_refused():
    scene, position, orientation = two_bodies()
    one, other = collider_with(scene), collider_with(scene)
    staged = one.stage(position, orientation)
    with pytest.raises(oclide.InvalidInputError, match="another"):
        other.collide_staged(staged)
    one.set_scene(scene)
    with pytest.raises(oclide.InvalidInputError, match="another scene"):
        one.collide_staged(staged)


@pytest.mark.parametrize("bodies, text", [
    (lambda: oclide.Bodies([0, 9], np.ones((2, 3))), r"bodies/shape\[1\] is 9"),
    (lambda: oclide.Bodies([0, 300], np.ones((2, 3))), r"shape\[1\] is 300, which is outside"),
    (lambda: oclide.Bodies([0.5], np.ones((1, 3))), "shape has dtype float64, but must hold whole numbers"),
    (lambda: oclide.Bodies([0, 0], np.ones((3, 3))), r"size has shape \(3, 3\)"),
    (lambda: oclide.Bodies([0, 0], [[1, 0, 0], [-1, 0, 0]]), r"bodies/size\[1\]: radius"),
    (lambda: oclide.Bodies([0, 0], np.ones((2, 3)), group=[1]), "group has shape"),
    (lambda: oclide.Bodies([0, 0], np.ones((2, 3)), mask=[1, -1]), r"mask\[1\] is -1, which is outside"),
    (lambda: oclide.Bodies([0, 0], np.ones((2, 3)), environment=[0, 1]), r"bodies/environment\[1\] is 1"),
])
def test_bad_bodies_are_refused_by_name(bodies, text):
    with pytest.raises(oclide.InvalidInputError, match=text):
        oclide.Collider("reference").set_scene(oclide.Scene(bodies(), environment_terrain=[-1]))


@pytest.mark.parametrize("terrain, text", [
    (lambda: oclide.Terrain([[0.0, 0.0]]), "at least 2 x 2"),
    (lambda: oclide.Terrain([0.0, 0.0]), "at least 2 x 2"),
    (lambda: oclide.Terrain(np.zeros((2, 2)), spacing=(0.0, 1.0)), "terrains/0/heights.*spacing"),
    (lambda: oclide.Terrain(np.full((2, 2), np.inf)), "terrains/0/heights"),
    (lambda: oclide.Terrain(np.zeros((3, 3)), holes=np.zeros((3, 3), bool)), r"holes has shape \(3, 3\)"),
    (lambda: oclide.Terrain(np.zeros((2, 2)), material=[[256]]), r"material\[0\]\[0\] is 256"),
])
def test_bad_terrain_is_refused_by_name(terrain, text):
    with pytest.raises(oclide.InvalidInputError, match=text):
        oclide.Collider("reference").set_scene(oclide.Scene(oclide.Bodies([], []), terrains=[terrain()]))


def test_arrays_that_were_changed_after_their_making_are_checked_too():
    scene, _, _ = two_bodies()
    scene.bodies.size = np.ones((3, 3))
    with pytest.raises(oclide.InvalidInputError, match=r"bodies/size has shape \(3, 3\), but must have \(2, 3\)"):
        oclide.Collider("reference").set_scene(scene)
    with pytest.raises(TypeError, match="oclide.Scene"):
        oclide.Collider("reference").set_scene("scene")


def test_bad_settings_are_refused():
    with pytest.raises(oclide.InvalidInputError, match="unknown device"):
        oclide.Collider("no such device")
    with pytest.raises(oclide.InvalidInputError, match="margin"):
        oclide.Collider("reference", margin=-1.0)
    with pytest.raises(TypeError):
        oclide.Collider("reference", 0.1)


def test_an_error_of_the_device_is_a_runtime_error():
    assert issubclass(oclide.DeviceError, RuntimeError) and issubclass(oclide.DeviceError, oclide.Error)
    devices = [d.id for d in oclide.devices() if d.usable and not d.is_reference]
    if not devices:
        pytest.skip("no OpenCL device")
    scene, position, orientation = heap(200)
    with pytest.raises(oclide.DeviceError, match="bytes") as error:
        collider_with(scene, devices[0], memory_limit=1000).collide(position, orientation)
    assert isinstance(error.value.detail, str)


def test_a_scene_without_bodies_has_no_contacts(device):
    collider = collider_with(oclide.Scene(oclide.Bodies([], []), terrains=[oclide.Terrain(np.zeros((2, 2)))]), device)
    frame = collider.collide(np.zeros((0, 3)), np.zeros((0, 4)))
    assert len(frame) == 0 and frame.contacts.shape == (0,) and frame.point.shape == (0, 3)
    assert collider.user_slots().shape == (0, 4)


def test_margin_reports_contacts_before_they_touch(device):
    scene, position, orientation = two_bodies()
    raised = position + [0.0, 0.0, 0.03]
    assert len(collider_with(scene, device).collide(raised, orientation)) == 0
    frame = collider_with(scene, device, margin=0.05).collide(raised, orientation)
    assert len(frame) == 5 and frame.depth[0] == pytest.approx(-0.01, abs=1e-6)


def test_heights_are_replaced_in_part(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    collider.update_heights(0, 0, 0, np.full((3, 2), -1.0))  # under the sphere alone
    frame = collider.collide(position, orientation)
    assert 0 not in frame.body_a and 1 in frame.body_a
    with pytest.raises(oclide.InvalidInputError, match="outside the 3 x 4 grid"):
        collider.update_heights(0, 2, 0, np.zeros((2, 1)))
    with pytest.raises(oclide.InvalidInputError, match=r"heights has shape \(2,\)"):
        collider.update_heights(0, 0, 0, [0.0, 0.0])


def test_a_compound_names_its_parts(device):
    wheels = oclide.Compound([oclide.Shape.SPHERE] * 2, [[0.5, 0, 0]] * 2, [[-1.0, 0, 0], [1.0, 0, 0]])
    bodies = oclide.Bodies([oclide.Shape.COMPOUND], [[0, 0, 0]])
    scene = oclide.Scene(bodies, terrains=[oclide.Terrain(np.zeros((2, 2)), spacing=(10, 10))], compounds=[wheels])
    frame = collider_with(scene, device).collide([[5.0, 5.0, 0.49]], upright(1))
    assert frame.body_a.tolist() == [0, 0] and frame.shape_a.tolist() == [0, 1]
    assert sorted(frame.point[:, 0]) == pytest.approx([4.0, 6.0])
    scene.compounds[0].size = np.ones((1, 3))
    with pytest.raises(oclide.InvalidInputError, match=r"compounds/0/size has shape \(1, 3\)"):
        oclide.Collider(device).set_scene(scene)


def test_tracking_follows_manifolds_contacts_and_slots(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device, track=True)
    begin = collider.update(position, orientation)
    assert begin.events["change"].tolist() == [oclide.Change.BEGIN] * 2
    assert (begin.previous == oclide.NONE).all()
    slots = collider.user_slots()
    assert slots.shape == (5, 4) and not slots.any() and collider.user_slots() is slots
    slots[:] = np.arange(20).reshape(5, 4)
    persist = collider.update(position + [0.0, 0.0, -0.001], orientation)
    assert persist.events["change"].tolist() == [oclide.Change.PERSIST] * 2
    assert persist.previous.tolist() == [0, 1, 2, 3, 4]
    assert np.array_equal(collider.user_slots(), np.arange(20).reshape(5, 4))
    slots[:] = -1.0  # of a frame that is gone: changes nothing
    assert np.array_equal(collider.user_slots(), np.arange(20).reshape(5, 4))
    end = collider.collide(position + [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], orientation)
    assert end.events["change"].tolist() == [oclide.Change.PERSIST, oclide.Change.END]
    assert end.events[1]["manifold"] == oclide.NONE and end.events[1]["previous"] == 0
    assert np.array_equal(collider.user_slots(), np.arange(4, 20).reshape(4, 4))


def test_a_scene_that_is_refused_leaves_the_one_before_as_it_is(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device, track=True)
    frame = collider.update(position, orientation)
    slots = collider.user_slots()
    slots[:] = np.arange(20).reshape(5, 4)
    with pytest.raises(oclide.InvalidInputError, match=r"bodies/size\[0\]"):
        collider.set_scene(oclide.Scene(oclide.Bodies([0], [[-1.0, 0, 0]])))
    assert collider.user_slots() is slots and len(frame.contacts) == 5
    slots[:] += 1.0
    assert (collider.update(position, orientation).events["change"] == oclide.Change.PERSIST).all()
    assert np.array_equal(collider.user_slots(), 1.0 + np.arange(20).reshape(5, 4))


def test_a_scene_can_be_checked_alone():
    scene, _, _ = two_bodies()
    assert oclide.check(scene) is None
    hull = oclide.Bodies([oclide.Shape.CONVEX_HULL], [[0.0, 0, 0]])
    with pytest.raises(oclide.InvalidInputError, match=r"bodies/size\[0\]: index of a hull"):
        oclide.check(oclide.Scene(hull))
    with pytest.raises(oclide.InvalidInputError, match=r"hulls/0/vertices"):
        oclide.check(oclide.Scene(hull, hulls=[[[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]]))
    corners = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert oclide.check(oclide.Scene(hull, hulls=[corners])) is None
    mesh = oclide.Bodies([oclide.Shape.TRIANGLE_MESH], [[0.0, 0, 0]])
    with pytest.raises(oclide.InvalidInputError, match=r"meshes/0/triangles: a solid must be closed, but edge "):
        oclide.check(oclide.Scene(mesh, meshes=[oclide.Mesh(corners, [[0, 1, 2]], solid=True)]))
    assert oclide.check(oclide.Scene(mesh, meshes=[oclide.Mesh(corners, [[0, 1, 2]])])) is None
    with pytest.raises(TypeError):
        oclide.check(scene.bodies)


def test_without_tracking_there_are_no_slots_and_events(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    frame = collider.update(position, orientation)
    assert len(frame.events) == 0 and len(frame.previous) == 0 and collider.user_slots().shape == (0, 4)


def test_hash_of_a_frame_is_that_of_its_contacts_and_chains():
    scene, position, orientation = heap(40)
    frame = collider_with(scene).collide(position, orientation)
    one = oclide.contact_hash(frame)
    assert one == oclide.contact_hash(frame.contacts) == oclide.contact_hash(frame.contacts.copy(), 0)
    assert one != oclide.contact_hash(frame.contacts[::-1]) and one != oclide.contact_hash(frame, one)
    for bad in (frame.point, 1, frame.contacts.reshape(1, -1)):
        with pytest.raises(oclide.InvalidInputError, match="contacts must be"):
            oclide.contact_hash(bad)


def test_device_agrees_with_the_reference_in_the_validator(device):
    scene, position, orientation = heap(60)
    frame = collider_with(scene, device).collide(position, orientation)
    validator = oclide.Validator(scene)
    validator.add_frame(position, orientation, frame)
    report = validator.report
    assert report.holds, report.examples
    assert report.frames == 1 and report.contacts_device == len(frame) and report.pairs_device == frame.pairs
    deeper = frame.contacts.copy()
    deeper["depth"] += 0.1
    validator.add_frame(position, orientation, deeper)
    assert not validator.report.holds and validator.report.examples


def test_a_plan_adds_up_the_buffers_of_its_device():
    devices = oclide.devices()
    assert devices[-1].is_reference and devices[-1].id == "reference"
    scene, position, orientation = heap(100)
    collider = collider_with(scene)
    assert collider.device.id in [d.id for d in devices]
    plan = oclide.plan_memory(scene, position, orientation, collider.device.id)
    assert plan.fits and plan.device.id == collider.device.id
    assert sum(b.bytes for b in plan.buffers if b.on_device) == plan.device_bytes
    assert sum(b.bytes for b in plan.buffers if not b.on_device) == plan.host_bytes > 0
    collider.collide(position, orientation)
    memory = collider.device_memory()
    assert set(memory) <= {b.name for b in plan.buffers}
    assert oclide.plan_memory(scene, position, orientation, collider.device.id, frames_ahead=3).host_bytes >= \
        plan.host_bytes


def test_the_reference_cannot_be_calibrated_and_none_is_fastest_of_none():
    with pytest.raises(oclide.InvalidInputError):
        oclide.calibrate(oclide.devices()[-1])
    with pytest.raises(oclide.InvalidInputError):
        oclide.fastest_device([], 100)
    assert oclide.break_even([]) == []


def test_margins_of_bodies_add_up():
    balls = oclide.Bodies([oclide.Shape.SPHERE] * 3, [[0.5, 0, 0]] * 3, margin=[0.0, 0.02, 0.05])
    position, orientation = np.array([[0.0, 0, 0], [1.03, 0, 0], [2.09, 0, 0]]), np.tile([1.0, 0, 0, 0], (3, 1))
    collider = oclide.Collider("reference")
    collider.set_scene(oclide.Scene(balls))
    assert collider.collide(position, orientation).body_b.tolist() == [2]
    one = oclide.Bodies([oclide.Shape.SPHERE], [[0.5, 0, 0]], margin=[0.04])
    collider.change(changed=[[0, 0]], become=one)
    assert collider.collide(position, orientation).body_b.tolist() == [1, 2]
    with pytest.raises(oclide.InvalidInputError, match="margin has shape"):
        oclide.Bodies([oclide.Shape.SPHERE], [[0.5, 0, 0]], margin=[0.1, 0.2])
    one.margin[0] = np.nan
    with pytest.raises(oclide.InvalidInputError, match=r"become/margin\[0\] must be finite"):
        collider.change(changed=[[0, 0]], become=one)


def test_bodies_come_and_go_by_handles():
    scene = oclide.Scene(oclide.Bodies([oclide.Shape.SPHERE] * 3, [[0.5, 0, 0]] * 3,
                                       flags=[oclide.STATIC, 0, oclide.SENSOR]),
                         terrains=[oclide.Terrain(np.zeros((3, 3)), origin=(-2.0, -2.0), spacing=(2.0, 2.0))])
    position = np.array([[-0.9, 0.1, 0.4], [0.0, 0.1, 0.4], [0.9, 0.1, 0.4]])
    orientation = np.tile([1.0, 0, 0, 0], (3, 1))
    collider = oclide.Collider("reference")
    collider.set_scene(scene)
    frame = collider.collide(position, orientation)
    pairs = {(int(c["body_a"]), int(c["body_b"])): int(c["flags"]) for c in frame.contacts}
    assert pairs == {(0, 1): 0, (1, 2): oclide.SENSOR_CONTACT, (1, oclide.TERRAIN): 0, (2, oclide.TERRAIN): 1}
    assert collider.handles.tolist() == [[0, 0], [1, 0], [2, 0]]

    ball = oclide.Bodies([oclide.Shape.SPHERE], [[0.5, 0, 0]])
    assert collider.change(removed=[[1, 0]]).shape == (0, 2)
    assert {int(b) for b in collider.collide(position, orientation).body_a} == {2}
    added = collider.change(changed=[[2, 0]], become=ball, added=ball)
    assert added.dtype == np.uint32 and added.tolist() == [[1, 1]] and collider.rows == 3
    assert not collider.collide(position, orientation).flags.any()
    with pytest.raises(oclide.InvalidInputError, match=r"removed\[0\]: there is no body with row 1, generation 0"):
        collider.change(removed=[[1, 0]])
    with pytest.raises(oclide.InvalidInputError, match="removed has shape"):
        collider.change(removed=[1, 0])
    with pytest.raises(oclide.InvalidInputError, match="become has 0 bodies for 1"):
        collider.change(changed=[[1, 1]])
    held = [[[1, 1], [2, 0]]]
    touch = (collider.collide(position, orientation).body_b == 2).any()
    assert touch and collider.change(excluded=held).shape == (0, 2)
    assert not (collider.collide(position, orientation).body_b == 2).any()
    collider.change(allowed=np.array(held))
    assert (collider.collide(position, orientation).body_b == 2).any()
    with pytest.raises(oclide.InvalidInputError, match="excluded has shape"):
        collider.change(excluded=held[0])
    with pytest.raises(oclide.InvalidInputError, match=r"allowed\[0\]: there is no body with row 1, generation 0"):
        collider.change(allowed=[[[1, 0], [2, 0]]])
    assert collider.change(added=ball).tolist() == [[3, 0]] and collider.rows == 4
    with pytest.raises(oclide.InvalidInputError):
        collider.collide(position, orientation)


def test_cells_and_origins_of_terrain_change():
    scene = oclide.Scene(oclide.Bodies([oclide.Shape.SPHERE], [[0.5, 0, 0]]),
                         terrains=[oclide.Terrain(np.zeros((3, 3)), spacing=(2.0, 2.0))])
    collider = oclide.Collider("reference")
    collider.set_scene(scene)
    pose = ([[1.0, 1.0, 0.4]], [[1.0, 0, 0, 0]])
    collider.update_material(0, 0, 0, [[7]])
    assert collider.collide(*pose).material.tolist() == [7]
    collider.update_holes(0, 0, 0, [[1]])
    assert len(collider.collide(*pose)) == 0
    collider.move_terrain(0, (-2.0, 0.0))
    assert len(collider.collide(*pose)) == 1
    for call in (lambda: collider.update_holes(0, 2, 0, [[1]]), lambda: collider.update_material(1, 0, 0, [[1]]),
                 lambda: collider.move_terrain(0, (np.nan, 0.0)), lambda: collider.move_terrain(0, 1.0)):
        with pytest.raises(oclide.InvalidInputError):
            call()


def test_tiles_are_one_ground_and_come_and_go(device):
    tiles = [oclide.Terrain(np.zeros((2, 3)), origin=(2.0 * k, 0.0), tile_of=0) for k in range(3)]
    scene = oclide.Scene(oclide.Bodies([0, 0], [[0.3, 0, 0], [0.3, 0, 0]]), terrains=tiles[:2])
    collider = oclide.Collider(device)
    collider.set_scene(scene)
    pose = ([[2.0, 0.5, 0.25], [5.0, 0.5, 0.25]], [[1.0, 0, 0, 0], [1.0, 0, 0, 0]])
    assert collider.collide(*pose).body_a.tolist() == [0]
    validator = oclide.Validator(scene)
    for world in (collider, validator):
        assert world.change_tiles(0, removed=[0], added=tiles[2:]) == [0]
    assert set(collider.collide(*pose).body_a.tolist()) == {0, 1}
    for world in (collider, validator):
        assert world.change_tiles(0, added=tiles[:1]) == [2]
    frame = collider.collide(*pose)
    assert frame.body_a.tolist() == [0, 1]
    validator.add_frame(*pose, frame)
    for world in (collider, validator):
        world.update_holes(0, 0, 0, [[1, 0]])
        world.update_material(2, 0, 0, [[3, 0]])
        world.move_terrain(0, (4.25, 0.0))
        assert world.change(removed=[[0, 0]], added=oclide.Bodies([1], [[0.3, 0.3, 0.3]])).tolist() == [[0, 1]]
    frame = collider.collide(*pose)
    validator.add_frame(*pose, frame)
    assert len(frame) > 0 and validator.report.holds and validator.report.frames == 2, validator.report.examples
    for world in (collider, validator):
        world.move_terrain(0, (4.0, 0.0))
    for call, text in ((lambda: collider.change_tiles(1), "tile of terrain 0"),
                       (lambda: collider.change_tiles(0, removed=[7]), r"removed\[0\]: terrain 0 has no tile 7"),
                       (lambda: collider.change_tiles(0, removed=(-1,)), r"removed\[0\] is -1"),
                       (lambda: collider.change_tiles(0, removed=[0.5]), "removed has dtype float64"),
                       (lambda: collider.change_tiles(-1), "ground is -1"),
                       (lambda: collider.change_tiles(0, added=[oclide.Terrain(np.ones((2, 3)), origin=(6.0, 0.0))]),
                        r"added\[0\]/heights\[0\]\[0\] is 1, but terrains/0/heights\[0\]\[2\]")):
        with pytest.raises(oclide.InvalidInputError, match=text):
            call()
    with pytest.raises(TypeError, match="added/0 must be an oclide.Terrain"):
        collider.change_tiles(0, added=[np.zeros((2, 2))])


def test_bodies_keep_what_they_rest_on_while_a_window_of_tiles_goes_by(device):
    def tile(row, col):
        i, j = np.mgrid[8 * row:8 * row + 9, 8 * col:8 * col + 9]
        return oclide.Terrain(np.where(i % 16 < 8, 0.0, 0.25 * np.sin(i * 1.7) * np.cos(j * 2.3)),
                              origin=(4.0 * col, 4.0 * row), spacing=(0.5, 0.5), tile_of=0)

    def rest(first):  # twelve bodies in the columns of tiles from `first` on
        x, y = np.meshgrid(4.0 * first + 1.1 + 1.3 * np.arange(4), [-2.3, 1.7, 6.1])
        return np.column_stack([x.ravel(), y.ravel(), np.full(12, 0.2)]), np.tile([1.0, 0, 0, 0], (12, 1))

    window = {(row, col): k for k, (row, col) in enumerate((r, c) for r in (-1, 0, 1) for c in (-1, 0, 1))}
    collider = oclide.Collider(device, track=True)
    collider.set_scene(oclide.Scene(oclide.Bodies([0, 1, 2] * 4, [[0.4, 0.3, 0.3]] * 12),
                                    terrains=[tile(*at) for at in window]))
    for step in range(1, 21):
        before = collider.collide(*rest(step - 1))
        gone, came = [(row, step - 2) for row in (-1, 0, 1)], [(row, step + 1) for row in (-1, 0, 1)]
        indices = collider.change_tiles(0, removed=[window.pop(at) for at in gone], added=[tile(*at) for at in came])
        window.update(zip(came, indices))
        after = collider.collide(*rest(step - 1))
        assert len(after) > 15 and set(after.body_a.tolist()) == set(range(12))
        assert np.array_equal(after.feature, before.feature)
        assert (after.events["change"] == 1).all() and len(after.events) == after.manifold.max() + 1
        assert after.previous.tolist() == list(range(len(after)))


def test_tiles_whose_diagonals_alternate_make_one_chessboard():
    assert oclide.Terrain(np.zeros((2, 2))).diagonal == "falling"
    for diagonal in ("zigzag", 2):
        with pytest.raises(oclide.InvalidInputError,
                           match="one of falling, rising, alternating_rising, alternating_falling"):
            oclide.Terrain(np.zeros((2, 2)), diagonal=diagonal)
    tiles = [oclide.Terrain(np.zeros((2, 4)), origin=(3.0 * k, 0.0), tile_of=0, diagonal=f"alternating_{cut}")
             for k, cut in enumerate(("rising", "falling", "falling"))]
    bodies = oclide.Bodies([0], [[0.3, 0, 0]])
    with pytest.raises(oclide.InvalidInputError,
                       match=r"terrains/2: diagonal must be 2 \(alternating_rising\) beside terrains/0"):
        oclide.check(oclide.Scene(bodies, terrains=tiles))
    collider = oclide.Collider("reference")
    collider.set_scene(oclide.Scene(bodies, terrains=tiles[:2]))
    with pytest.raises(oclide.InvalidInputError,
                       match=r"added\[0\]: diagonal must be 2 \(alternating_rising\) beside terrains/1"):
        collider.change_tiles(0, removed=[0], added=tiles[2:])
    tiles[2].diagonal = "alternating_rising"
    assert collider.change_tiles(0, removed=[0], added=tiles[2:]) == [0]
    assert len(collider.collide([[7.0, 0.5, 0.25]], [[1.0, 0, 0, 0]])) == 1


# From above onto a bump at the middle of 2 x 2 cells, which has eight edges or four.
@pytest.mark.parametrize(("diagonal", "height"), [("falling", 0.25), ("rising", 0.5), ("alternating_rising", 0.5),
                                                  ("alternating_falling", 0.25)])
def test_cells_are_cut_along_their_diagonal(diagonal, height):
    heights = np.zeros((3, 3))
    heights[1, 1] = 1.0
    collider = oclide.Collider("reference")
    collider.set_scene(oclide.Scene(oclide.Bodies([], []), terrains=[oclide.Terrain(heights, diagonal=diagonal)]))
    hits = collider.cast(np.zeros((0, 3)), np.zeros((0, 4)), [[0.5, 0.75, 2.0]], [[0.0, 0, -1]])
    assert hits.distance[0] == pytest.approx(2.0 - height)


def test_a_terrain_that_nothing_meets_is_told():
    flat = oclide.Terrain(np.zeros((2, 2)))
    bodies = oclide.Bodies([0], [[0.3, 0, 0]])
    collider = oclide.Collider("reference")
    with pytest.warns(UserWarning, match="terrains/1: nothing meets it"):
        collider.set_scene(oclide.Scene(bodies, terrains=[flat, flat]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        collider.set_scene(oclide.Scene(bodies, terrains=[flat, flat], environment_terrain=[1, 0]))


def test_compounds_without_a_group_meet_terrain_and_queries_that_have_one(device):
    # Parts of a compound share a group of their own, which must be no group that anything else has.
    pair = oclide.Compound([0, 0], [[0.5, 0, 0], [0.5, 0, 0]], [[-0.5, 0, 0], [0.5, 0, 0]])
    ground = oclide.Terrain(np.zeros((3, 3)), spacing=(10.0, 10.0), group=1)
    scene = oclide.Scene(oclide.Bodies([6, 6], [[0, 0, 0], [0, 0, 0]]), terrains=[ground], compounds=[pair])
    collider = oclide.Collider(device)
    collider.set_scene(scene)
    position, orientation = [[5.0, 5.0, 0.4], [15.0, 15.0, 0.4]], np.tile([1.0, 0, 0, 0], (2, 1))
    frame = collider.collide(position, orientation)
    assert sorted(zip(frame.body_a.tolist(), frame.shape_a.tolist())) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for group in (0, 1, 2, 3):
        found = collider.overlap(position, orientation, oclide.Shape.SPHERE, [0.1, 0, 0],
                                 [[5.5, 5.0, 0.6], [15.5, 15.0, 0.6]], [1, 0, 0, 0], group=group)
        assert found.overlaps.tolist() == [True, True], group
