"""Overlap from Python: closed forms, axes of arrays, what is refused."""

import numpy as np
import oclide
import pytest
from conftest import collider_with, two_bodies, upright

CLEAR = 1.1e-4


def test_a_planner_asks_for_links_at_configurations(device):
    """Two links at three configurations each, over ground and beside bodies."""
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    at = np.array([[[2.0, 5.0, 1.5], [2.0, 5.0, 2.0]], [[7.0, 5.0, 0.3], [7.0, 5.0, 0.9]],
                   [[12.0, 5.0, 0.39 + 0.25 - CLEAR], [12.0, 5.0, 3.0]]])
    found = collider.overlap(position, orientation, [oclide.Shape.SPHERE, oclide.Shape.BOX],
                             [[0.25, 0, 0], [0.1, 0.1, 0.8 + CLEAR]], at, [1, 0, 0, 0], lowest=True)
    assert found.overlaps.dtype == np.bool_ and found.overlaps.shape == (3, 2) == found.body.shape
    assert found.overlaps.tolist() == [[False, False], [False, False], [True, False]]
    assert found.body.tolist() == [[oclide.NOTHING] * 2] * 2 + [[1, oclide.NOTHING]]
    lower = collider.overlap(position, orientation, [oclide.Shape.SPHERE, oclide.Shape.BOX],
                             [[0.25, 0, 0], [0.1, 0.1, 0.8 + CLEAR]], at - [0, 0, 0.1], [1, 0, 0, 0], lowest=True)
    assert lower.body.tolist() == [[oclide.NOTHING] * 2, [oclide.TERRAIN] * 2, [1, oclide.NOTHING]]
    assert lower.overlap_count == 3 and len(lower) == 6 and "3 of 6" in repr(lower)
    assert lower.milliseconds.total > 0 and "query=" in repr(lower.milliseconds)


def test_one_shape_for_all_and_filters(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    one = collider.overlap(position, orientation, oclide.Shape.CAPSULE, [0.1, 0.2, 0], position + [0, 0, 0.3],
                           upright(2))
    assert one.overlaps.tolist() == [True, True]
    with pytest.raises(oclide.InvalidInputError, match="lowest=True"):
        _ = one.body
    masked = collider.overlap(position, orientation, oclide.Shape.SPHERE, [0.1, 0, 0], position + [0, 0, 0.2],
                              [1, 0, 0, 0], mask=[1, 2], group=5, environment=0)
    assert masked.overlaps.tolist() == [True, False]
    assert collider.overlap(position, orientation, oclide.Shape.SPHERE, [0.1, 0, 0], np.zeros((0, 3)),
                            np.zeros((0, 4))).overlaps.shape == (0,)


def test_answers_outlive_the_collider(device):
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, device)
    found = collider.overlap(position, orientation, oclide.Shape.SPHERE, [0.1, 0, 0], position, upright(2), lowest=True)
    overlaps, body = found.overlaps, found.body
    del found, collider
    assert overlaps.tolist() == [True, True] and body.tolist() == [0, 1]
    overlaps[0] = False
    assert overlaps.tolist() == [False, True]


def test_what_cannot_be_used_is_refused_by_name():
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, "reference")

    def refuses(match, **change):
        given = {"shape": oclide.Shape.SPHERE, "size": [1.0, 0, 0], "query_position": position,
                 "query_orientation": upright(2), **change}
        with pytest.raises(oclide.InvalidInputError, match=match):
            collider.overlap(position, orientation, **given)

    refuses(r"query_position has shape \(3, 2\)", query_position=np.zeros((3, 2)))
    refuses(r"query_orientation has shape \(2, 3\)", query_orientation=np.zeros((2, 3)))
    refuses("shapes do not go together", size=np.ones((3, 3)))
    refuses("dtype", shape=1.5)
    refuses(r"queries/shape\[0\]: a half space cannot be asked about", shape=oclide.Shape.HALF_SPACE)
    refuses(r"queries/size\[0\]: radius", size=[0.0, 0, 0])
    refuses(r"queries/position\[1\]\[2\] is not finite", query_position=[[0, 0, 0], [0, 0, np.nan]])
    refuses("mask", mask=[1, 2, 3])
    refuses("group", group=[0.5, 1.0])
