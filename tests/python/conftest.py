"""Scenes and devices that the tests share."""

import os

import numpy as np
import oclide
import pytest

DEVICES = [d.id for d in oclide.devices() if d.usable]


@pytest.fixture(params=DEVICES)
def device(request):
    """Each usable OpenCL device, and the reference."""
    return request.param


@pytest.fixture(scope="session")
def command():
    """The oclide command of the build that the tests belong to."""
    path = os.environ.get("OCLIDE_COMMAND", "")
    if not os.access(path, os.X_OK):
        pytest.skip("OCLIDE_COMMAND does not name the oclide command")
    return path


def upright(n):
    return np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))


def heap(n, seed=1):
    """n bodies of four shapes that lie on and in each other on hilly ground: scene, position, orientation."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(21), np.arange(17))
    ground = oclide.Terrain(0.3 * np.sin(0.5 * x) * np.cos(0.4 * y), origin=(-1.0, -2.0), spacing=(0.5, 0.75))
    shape = random.integers(0, 4, n)
    scene = oclide.Scene(oclide.Bodies(shape, random.uniform(0.1, 0.4, (n, 3))), terrains=[ground])
    position = random.uniform([0.0, -1.0, 0.0], [8.0, 9.0, 1.0], (n, 3))
    orientation = random.normal(size=(n, 4))
    return scene, position, orientation


def two_bodies():
    """A sphere 2 cm and a box 1 cm deep in level ground."""
    ground = oclide.Terrain(np.zeros((3, 4)), spacing=(5.0, 5.0), material=np.full((2, 3), 7))
    bodies = oclide.Bodies([oclide.Shape.SPHERE, oclide.Shape.BOX], [[0.5, 0, 0], [0.4, 0.4, 0.2]])
    return oclide.Scene(bodies, terrains=[ground]), np.array([[2.0, 5.0, 0.48], [12.0, 5.0, 0.19]]), upright(2)


def collider_with(scene, device="auto", **settings):
    collider = oclide.Collider(device, **settings)
    collider.set_scene(scene)
    return collider
