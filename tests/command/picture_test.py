#!/usr/bin/python3
"""The pictures and films of `oclide picture`: what stands where, in which colour. (What it refuses: view_test.cpp.)

  picture_test.py OCLIDE [FOLDER]     FOLDER: leaves the pictures there"""

import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import view_page_test as files  # noqa: E402

SIZE = np.array([200, 120])
HALF_TANGENT = np.tan(np.radians(22.5))


class Picture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.position = files.write_scene(cls.at("scene.h5"))
        files.write_contacts(cls.at("contacts.h5"))
        files.write_hits(cls.at("hits.h5"))
        files.write_paths(cls.at("paths.h5"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def at(cls, name):
        return os.path.join(KEPT or cls.folder.name, name)

    def draw(self, name, *options):
        """From the south, level, 20 m before the target, which is 1 m above the ground."""
        file = self.at(name + ".png")
        subprocess.run([COMMAND, "picture", self.at("scene.h5"), *options, "-o", file, "--device", "reference",
                        "--width", str(SIZE[0]), "--height", str(SIZE[1]), "--azimuth", "0"], check=True,
                       stdout=subprocess.DEVNULL)
        return Image.open(file)

    def front(self, name, x, *options):
        self.target = files.ORIGIN + [x, 0.0, 1.0]
        to = ",".join(str(v) for v in self.target)
        return self.draw(name, *options, "--to", to, "--distance", "20", "--elevation", "0")

    def colour(self, picture, x, y, z):
        """Of the pixel that shows this point, seen from front()."""
        right, far, up = files.ORIGIN + [x, y, z] - self.target
        at = np.array([right, -up]) / ((20.0 + far) * HALF_TANGENT) / [SIZE[0] / SIZE[1], 1.0]
        col, row = ((0.5 * (at + 1.0)) * SIZE).astype(int)
        return np.asarray(picture.convert("RGB")).astype(float)[row, col]

    def is_hue(self, colour, wanted):
        wanted = np.array([wanted >> 16, wanted >> 8 & 255, wanted & 255], float)
        self.assertLess(np.abs(colour / colour.sum() - wanted / wanted.sum()).max(), 0.03, (colour, wanted))

    def test_bodies_have_their_places_and_colours(self):
        picture = self.front("row", 4.0)
        for body, wanted in ((0, 0x2f7fd6), (1, 0xf28e2b), (2, 0x2f9e44)):
            self.is_hue(self.colour(picture, 4.0 * body, -1.0, 1.0), wanted)
        self.assertGreater(self.colour(picture, 2.0, 0, 4.0).min(), 240)  # the sky
        self.assertEqual(picture.size, tuple(SIZE))

    def test_contacts_impacts_rays_and_paths_are_over_it(self):
        """With and without each file the pixels at its points differ, and the others do not."""
        plain = self.front("plain", 4.0, self.at("contacts.h5"), "--frame", "2")  # one contact, one impact
        for name, options, point in (("hits", ("--hits", self.at("hits.h5")), (0.0, 0.0, 8.2)),
                                     ("paths", ("--paths", self.at("paths.h5")), (5.0, -3.0, 2.05))):
            with_it = self.front(name, 4.0, self.at("contacts.h5"), "--frame", "2", *options)
            changed = np.abs(np.asarray(with_it).astype(int) - np.asarray(plain)).max(2)
            self.assertGreater(np.abs(self.colour(with_it, *point) - self.colour(plain, *point)).max(), 40, name)
            self.assertLess(np.count_nonzero(changed), 0.05 * changed.size, name)
        # The contact's colour is that of the depth: 98 of 100 are not as deep.
        self.is_hue(self.colour(plain, 8.0, 0.0, 0.0), 0x560bad)
        still = self.front("start", 4.0, self.at("contacts.h5"))
        later = self.front("later", 4.0, self.at("contacts.h5"), "--time", "0.5")
        self.is_hue(self.colour(later, 0.0, -1.0, 4.0), 0x2f7fd6)  # the sphere is 3 m higher
        self.assertGreater(np.abs(self.colour(still, 0.0, -1.0, 1.0) - self.colour(later, 0.0, -1.0, 1.0)).max(), 40)

    def test_a_cut_shows_what_is_inside(self):
        whole, cut = self.front("whole", 4.0), self.front("cut", 4.0, "--cut")
        flat = self.colour(cut, 4.0, 0.0, 1.0)
        self.is_hue(flat, 0xf28e2b)
        self.assertLess(np.abs(flat - self.colour(cut, 4.4, 0.0, 0.6)).max(), 2)  # one shade
        # The ground before it is cut, not seen from above.
        self.assertLess(np.abs(self.colour(cut, 2.0, 0.0, -1.0) - self.colour(cut, 6.0, 0.0, -1.0)).max(), 2)
        self.assertGreater(np.abs(np.asarray(whole).astype(int) - np.asarray(cut)).max(), 60)

    def test_a_film_has_its_pictures_and_they_are_the_stills(self):
        with self.draw("film", self.at("contacts.h5"), "--film", "2", "--rate", "8") as film:
            self.assertEqual(film.n_frames, 6)
            self.assertEqual(film.info["duration"], 125)
        with self.draw("film_of_one", self.at("contacts.h5"), "--film", "2", "--frames", "0:1") as film:
            for k in range(2):
                still = self.draw("still", self.at("contacts.h5"), "--frames", "0:1", "--time", str(0.5 * k))
                film.seek(k)
                difference = np.abs(np.asarray(film.convert("RGB")).astype(int) - np.asarray(still))
                self.assertEqual(difference.max(), 0, k)

    def test_environments_are_drawn_by_themselves(self):
        first = np.asarray(self.draw("first", "--body", "2")).astype(int)
        second = np.asarray(self.draw("second", "--body", "8", "--environment", "1")).astype(int)
        middle = tuple(SIZE[::-1] // 2)
        self.is_hue(first[middle].astype(float), 0x2f9e44)
        self.is_hue(second[middle].astype(float), 0x2f7fd6)
        self.assertGreater(second[-1].min(), 240)  # there is no ground


if __name__ == "__main__":
    COMMAND, KEPT = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    unittest.main(argv=sys.argv[:1], verbosity=2)
