"""Other processes: forked ones are refused at once what they would wait for without end, started ones work."""

import multiprocessing
import os
import signal

import numpy as np
import oclide
import pytest
from conftest import DEVICES, collider_with, two_bodies

OPENCL = [d for d in DEVICES if d != "reference"]
PATIENCE = 60  # [s] after which a process has hung
REFUSAL = "this process was forked after OpenCL was in use"


def contacts_on(device):
    scene, position, orientation = two_bodies()
    return len(collider_with(scene, device).collide(position, orientation))


def outcome(call):
    """What it returns, or its error."""
    try:
        return call()
    except oclide.Error as error:
        return f"{type(error).__name__}: {error}"


def in_fork(call):
    """outcome() in a process that is forked here."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        os.write(writing, repr(outcome(call)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    assert os.waitpid(child, 0)[1] == 0, "the child hung"
    return text


@pytest.fixture(params=OPENCL)
def opencl(request):
    return request.param


def test_a_forked_process_is_refused_a_collider(opencl):
    assert contacts_on(opencl) == 5
    for call in (lambda: contacts_on(opencl), lambda: contacts_on("auto"), oclide.devices):
        assert REFUSAL in in_fork(call) and "DeviceError" in in_fork(call)
    assert contacts_on(opencl) == 5


def test_a_forked_process_is_refused_its_parents_collider(opencl):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, opencl)
    kept = [collider.update(position, orientation), collider, collider.stage(position, orientation)]
    for call in (lambda: collider.update(position, orientation), lambda: collider.collide(position, orientation),
                 lambda: collider.stage(position, orientation), lambda: collider.collide_staged(kept[2]),
                 lambda: collider.set_scene(scene), lambda: collider.update_heights(0, 0, 0, np.zeros((1, 1)))):
        assert REFUSAL in in_fork(call)

    def let_go():
        nonlocal collider
        collider = kept[1] = kept[2] = None
        return len(kept[0].contacts)

    assert in_fork(let_go) == "5"
    assert len(collider.collide_staged(kept[2])) == 5


def test_the_reference_works_in_a_forked_process(opencl):
    scene, position, orientation = two_bodies()
    reference = collider_with(scene, "reference")
    assert contacts_on(opencl) == len(reference.collide(position, orientation)) == 5
    assert in_fork(lambda: contacts_on("reference")) == "5"
    assert in_fork(lambda: len(reference.collide(position, orientation))) == "5"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing(opencl, method):
    assert contacts_on(opencl) == 5
    with multiprocessing.get_context(method).Pool(1) as pool:
        found = pool.apply_async(outcome, (Work(opencl),)).get(timeout=PATIENCE)
    assert (REFUSAL in found) if method == "fork" else found == 5


class Work:
    """contacts_on() for another process."""

    def __init__(self, device):
        self.device = device

    def __call__(self):
        return contacts_on(self.device)
