"""A program outside the tree that has the installed package alone: prints the contact_hash of a scene file's frames.

outside.py SCENE [DEVICE]
"""

import sys

import oclide

scene = oclide.read_scene(sys.argv[1])
collider = oclide.Collider(*sys.argv[2:3])
collider.set_scene(scene.scene)
total = 0
for position, orientation in scene:
    total = oclide.contact_hash(collider.update(position, orientation), total)
print(f"{total:016x}")
