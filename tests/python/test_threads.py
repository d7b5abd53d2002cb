"""The GIL is free while the library works; one collider is for one thread at a time."""

import threading
import time

import numpy as np
import oclide
import pytest
from conftest import collider_with, heap


def test_two_threads_on_one_collider_are_an_error(device):
    scene, position, orientation = heap(400)
    collider = collider_with(scene, device)
    wanted = oclide.contact_hash(collider.collide(position, orientation))
    errors, hashes = [], []
    stop = time.monotonic() + 20.0

    def work():
        while not errors and time.monotonic() < stop:
            try:
                hashes.append(oclide.contact_hash(collider.update(position, orientation)))
            except oclide.InvalidInputError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors and all("used from two threads at once" in e for e in errors)
    assert set(hashes) <= {wanted}
    assert oclide.contact_hash(collider.collide(position, orientation)) == wanted


def test_other_threads_run_while_a_frame_is_computed():
    scene, position, orientation = heap(3000)
    collider = collider_with(scene)
    collider.collide(position, orientation)
    done = threading.Event()
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    inside = 0
    try:
        for k in range(200):
            moved = position + 1e-4 * k  # or there would be nothing to compute
            start = time.monotonic()
            collider.collide(moved, orientation)
            end = time.monotonic()
            inside += sum(start < t < end for t in ticks[-100:])
            if inside > 20:
                break
    finally:
        done.set()
        thread.join()
    assert inside > 20


def test_colliders_of_several_threads_find_the_same(device):
    scene, position, orientation = heap(200)
    wanted = oclide.contact_hash(collider_with(scene, device).collide(position, orientation))
    hashes = []

    def work():
        collider = collider_with(scene, device)
        hashes.extend(oclide.contact_hash(collider.update(position, orientation)) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hashes == [wanted] * 15


def test_poses_are_staged_while_a_frame_is_computed(device):
    scene, position, orientation = heap(300)
    collider = collider_with(scene, device)
    frames = [position + [0.0, 0.0, 0.02 * k] for k in range(6)]
    wanted = [oclide.contact_hash(collider.collide(p, orientation)) for p in frames]
    staged, found = [collider.stage(frames[0], orientation)], []

    for k in range(len(frames)):
        thread = None
        if k + 1 < len(frames):
            thread = threading.Thread(target=lambda p=frames[k + 1]: staged.append(collider.stage(p, orientation)))
            thread.start()
        found.append(oclide.contact_hash(collider.collide_staged(staged[k])))
        if thread is not None:
            thread.join()
    assert found == wanted


def test_arrays_are_given_back_by_whichever_thread():
    scene, position, orientation = heap(100)
    collider = collider_with(scene)
    wanted = oclide.contact_hash(collider.collide(position, orientation))
    kept = []

    def drop():
        while kept:
            kept.pop()

    for _ in range(30):
        frame = collider.update(position, orientation)
        kept.append(frame.contacts)
        thread = threading.Thread(target=drop)
        thread.start()
        assert oclide.contact_hash(frame) == wanted
        del frame
        assert oclide.contact_hash(collider.update(position, orientation)) == wanted
        thread.join()
    assert np.array_equal(collider.collide(position, orientation).contacts, collider.update(position,
                                                                                            orientation).contacts)


def test_a_validator_is_for_one_thread_at_a_time():
    scene, position, orientation = heap(150)
    frame = collider_with(scene).collide(position, orientation)
    validator = oclide.Validator(scene)
    errors = []
    started = threading.Event()

    def work():
        started.set()
        validator.add_frame(position, orientation, frame)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    while thread.is_alive() and not errors:
        try:
            _ = validator.report
        except oclide.InvalidInputError as error:
            errors.append(str(error))
    thread.join()
    assert errors and "Validator is used from two threads at once" in errors[0]
    with pytest.raises(oclide.InvalidInputError):
        validator.add_frame(position[:1], orientation, frame)
