"""Arrays stay valid and unchanged, whatever becomes of frame and collider."""

import gc
import sys
import weakref

import numpy as np
import oclide
import pytest
from conftest import collider_with, heap


def churn():
    """Memory that has been given back is likely to be somebody else's after this."""
    gc.collect()
    return [np.full(100_000, 255, np.uint8) for _ in range(50)]


@pytest.mark.parametrize("call", ["collide", "update"])
def test_arrays_outlive_frame_and_collider(device, call):
    scene, position, orientation = heap(100)
    collider = collider_with(scene, device)
    frame = getattr(collider, call)(position, orientation)
    point, contacts = frame.point, frame.contacts
    copy = contacts.copy()
    del frame
    churn()
    assert np.array_equal(contacts, copy)
    del collider
    churn()
    assert np.array_equal(contacts, copy) and np.array_equal(point, copy["point"])


def test_frames_of_update_keep_their_contacts_in_later_frames(device):
    scene, position, orientation = heap(100)
    collider = collider_with(scene, device)
    fresh = [oclide.contact_hash(collider.collide(position + [0.0, 0.0, 0.01 * k], orientation)) for k in range(6)]
    assert len(set(fresh)) == 6
    frames, arrays = [], []
    for k in range(6):
        frame = collider.update(position + [0.0, 0.0, 0.01 * k], orientation)
        # Frames alone, and arrays alone.
        frames.append(frame if k % 2 == 0 else None)
        arrays.append(None if k % 2 == 0 else frame.contacts)
        churn()
    collider.set_scene(heap(20, seed=2)[0])
    churn()
    assert [oclide.contact_hash(f or a) if f is not None else oclide.contact_hash(a)
            for f, a in zip(frames, arrays)] == fresh


def test_update_uses_its_memory_again_where_nothing_looks_at_it():
    scene, position, orientation = heap(300)
    collider = collider_with(scene)
    places = set()
    for _ in range(6):
        frame = collider.update(position, orientation)
        places.add(frame.contacts.__array_interface__["data"][0])
        del frame
    assert len(places) == 1


def test_slots_outlive_the_collider(device):
    scene, position, orientation = heap(50)
    collider = collider_with(scene, device, track=True)
    collider.update(position, orientation)
    slots = collider.user_slots()
    slots[:] = 5.0
    collider.update(position, orientation)
    collider.set_scene(scene)
    del collider
    churn()
    assert (slots == 5.0).all()
    slots[:] = 6.0


def test_a_scene_that_was_set_may_change_and_go(device):
    scene, position, orientation = heap(50)
    collider = collider_with(scene, device)
    wanted = oclide.contact_hash(collider.collide(position, orientation))
    scene.bodies.size[:] = 9.0
    scene.terrains[0].heights[:] = 100.0
    del scene
    churn()
    assert oclide.contact_hash(collider.collide(position, orientation)) == wanted


def test_nothing_keeps_objects_longer_than_they_are_used():
    scene, position, orientation = heap(50)
    collider = collider_with(scene)
    count = sys.getrefcount(position)
    frame = collider.update(position, orientation)
    staged = collider.stage(position, orientation)
    assert sys.getrefcount(position) == count
    array = frame.contacts
    watched = weakref.ref(array.base if array.base is not None else array)
    del array, frame, staged
    gc.collect()
    assert watched() is None
