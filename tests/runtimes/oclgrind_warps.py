"""bench/warps counts what it says: kernels whose warps are known, a small frame beside bench/operations.

oclgrind_warps.py ROOT OCLIDE    of the checkout, and its built command. Exit status 77: Oclgrind is not installed.
"""
import importlib.machinery
import importlib.util
import os
import re
import sys
import tempfile
import unittest

OCLIDE = sys.argv.pop(2)
ROOT = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("measure", os.path.join(ROOT, "bench", "warps", "measure"))
measure = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure", loader))
sys.dont_write_bytecode = True
loader.exec_module(measure)

# One group of 64, two warps. Numbers are four bytes, a sector holds eight.
KERNELS = """
kernel void together(global const float* from, global float* to) { to[get_global_id(0)] = from[get_global_id(0)]; }
kernel void apart(global const float* from, global float* to) { to[get_global_id(0)] = from[8 * get_global_id(0)]; }
kernel void rows(global const float4* from, global float* to) { to[get_global_id(0)] = from[get_global_id(0)].x; }
kernel void again(global const float* from, global float* to) {
  float sum = 0.0f;
  for (int i = 0; i < (int)(8.0f * from[0]); ++i) sum += from[64 * i + get_global_id(0)];
  to[get_global_id(0)] = sum;
}
void halve(float* x, int times) {
  for (int i = 0; i < times; ++i) *x = *x * 0.5f + 1.0f;
}
kernel void one_lane(global const float* from, global float* to) {
  float x = from[0];
  halve(&x, get_local_id(0) % 32 == 0 ? 1000 : 0);
  to[get_global_id(0)] = x;
}
kernel void two_ways(global const float* from, global float* to) {
  float x = from[0];
  if (get_local_id(0) % 2 == 0)
    for (int i = 0; i < 1000; ++i) x = x * 0.5f + 1.0f;
  else
    for (int i = 0; i < 1000; ++i) x = x * 0.25f + 1.0f;
  to[get_global_id(0)] = x;
}
kernel void counted(global uint* from, global uint* to) { atomic_inc(to); }
"""


class Warps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.plugins = []
        for source in ("warps/warps.cpp", "operations/count_arithmetic.cpp"):
            cls.plugins.append(os.path.join(cls.folder.name, os.path.basename(source) + ".so"))
            measure.build_plugin(os.path.join(ROOT, "bench", source), cls.plugins[-1])
        with open(os.path.join(cls.folder.name, "kernels.cl"), "w") as file:
            file.write(KERNELS)

    def launch(self, kernel):
        simulated = os.path.join(self.folder.name, "launch.sim")
        with open(simulated, "w") as file:
            file.write(f"{self.folder.name}/kernels.cl\n{kernel}\n64 1 1\n64 1 1\n"
                       "<size=4096 fill=1 float>\n<size=4096 fill=0 float>\n")
        text = measure.call(["oclgrind-kernel", simulated], os.environ | {"OCLGRIND_PLUGINS": self.plugins[0]})
        (launch,) = measure.launches_of(text)
        return launch

    def test_a_request_counts_the_sectors_it_touches(self):
        # Two warps load and store, which is four requests; the stores are of four sectors each.
        for kernel, sectors in (("together", 2 * (4 + 4)), ("apart", 2 * (32 + 4)), ("rows", 2 * (16 + 4))):
            with self.subTest(kernel):
                launch = self.launch(kernel)
                self.assertEqual((launch["requests"], launch["sectors"], launch["warps"]), (4, sectors, 2))
                self.assertEqual(launch["longest_requests"], 2)

    def test_an_instruction_is_a_request_each_time(self):
        # Each warp loads the bound of the loop, then eight times four sectors, and stores four.
        launch = self.launch("again")
        self.assertEqual((launch["requests"], launch["sectors"]), (2 * (1 + 8 + 1), 2 * (1 + 8 * 4 + 4)))

    def test_efficiency_of_lanes_that_part(self):
        efficiency = lambda kernel: measure.efficiency([self.launch(kernel)])
        self.assertEqual(efficiency("together"), 1)
        self.assertAlmostEqual(efficiency("one_lane"), 1 / 32, delta=0.01)
        self.assertAlmostEqual(efficiency("two_ways"), 1 / 2, delta=0.01)

    def test_atomics_are_requests(self):
        launch = self.launch("counted")
        self.assertEqual((launch["atomics"], launch["requests"], launch["sectors"]), (64, 2, 2))

    def test_operations_are_those_of_the_other_plugin(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = measure.generate(OCLIDE, folder, "mixed", 60, 1)
            text, _ = measure.simulate(OCLIDE, scene, self.plugins, folder)
        launches = measure.launches_of(text)
        other = [(kernel, int(count)) for kernel, count in re.findall(r"^operations (\w+) (\d+)$", text, re.M)]
        self.assertTrue(any(kernel.startswith("narrow_phase_") and count > 0 for kernel, count in other))
        self.assertEqual([(k["kernel"], k["operations"]) for k in launches], other)
        for launch in launches:
            self.assertLessEqual(launch["lane_cost"], 32 * launch["issue_cost"])
            self.assertLessEqual(launch["longest_cost"], launch["issue_cost"])


if __name__ == "__main__":
    unittest.main()
