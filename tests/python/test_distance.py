"""Distances of points from Python: closed forms, axes of arrays, what is refused."""

import numpy as np
import oclide
import pytest
from conftest import collider_with, two_bodies


def test_signed_distances_of_bodies_and_ground(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    points = np.array([[[2.0, 5.0, 2.48], [2.0, 5.0, 0.48]], [[7.0, 5.0, 0.7], [7.0, 5.0, -0.3]]])
    found = collider.distance(position, orientation, points)
    assert found.distance.shape == (2, 2) and found.point.shape == found.normal.shape == (2, 2, 3)
    np.testing.assert_allclose(found.distance, [[1.5, -0.5], [0.7, -0.3]], atol=1e-5)
    assert found.body.tolist() == [[0, 0], [oclide.TERRAIN] * 2]
    np.testing.assert_allclose(found.point[1], [[7.0, 5.0, 0.0]] * 2, atol=1e-5)
    np.testing.assert_allclose(found.normal[:, 0], [[0, 0, 1]] * 2, atol=1e-6)
    assert found.material.tolist() == [[0, 0], [7, 7]] and (found.element[0] == oclide.NONE).all()
    assert not found.shape.any() and found.near_count == 4 and len(found) == 4 and "4 of 4" in repr(found)
    assert found.nearest.dtype == oclide.HIT_DTYPE and found.milliseconds.total > 0
    near = collider.distance(position, orientation, points, range=[1.0, 0.0], mask=1)
    assert near.body.tolist() == [[oclide.NOTHING, 0], [oclide.TERRAIN] * 2]
    assert np.isinf(near.distance[0, 0]) and oclide.hit_hash(near.nearest) != oclide.hit_hash(found.nearest)
    assert collider.distance(position, orientation, np.zeros((0, 3))).distance.shape == (0,)


def test_answers_outlive_the_collider(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    distance = collider.distance(position, orientation, position).distance
    del collider
    np.testing.assert_allclose(distance, [-0.5, -0.2], atol=1e-5)
    distance[0] = 1.0
    assert distance[0] == 1.0


def test_what_cannot_be_used_is_refused_by_name():
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, "reference")
    for match, point, change in [(r"point has shape \(2, 2\)", np.zeros((2, 2)), {}),
                                 (r"points/position\[0\]\[1\] is not finite", [0, np.inf, 0], {}),
                                 (r"points/range\[1\] is negative", np.zeros((2, 3)), {"range": [1, -1]}),
                                 ("shapes do not go together", np.zeros((2, 3)), {"range": [1, 2, 3]}),
                                 ("mask", np.zeros((2, 3)), {"mask": [-1, 0]})]:
        with pytest.raises(oclide.InvalidInputError, match=match):
            collider.distance(position, orientation, point, **change)
