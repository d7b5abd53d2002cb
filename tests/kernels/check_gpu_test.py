"""tools/check_gpu reads what compilers print, and judges limits: on outputs made up here, without a compiler.

check_gpu_test.py ROOT    of the checkout; exit status 1 if anything is read or judged wrong.
"""
import importlib.machinery
import importlib.util
import os
import struct
import sys
import unittest

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_gpu", os.path.join(sys.argv.pop(1), "tools", "check_gpu"))
check_gpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_gpu", loader))
sys.modules["check_gpu"] = check_gpu
loader.exec_module(check_gpu)

PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'narrow_phase_one' for 'sm_90'
ptxas info    : Function properties for narrow_phase_one
    96 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 68 registers, used 1 barriers, 128 bytes cumulative stack size, 704 bytes smem
ptxas info    : Compile time = 116.952 ms
ptxas info    : Compiling entry function 'narrow_phase_two' for 'sm_90'
ptxas info    : Function properties for narrow_phase_two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 400 bytes cmem[0]
ptxas info    : Compile time = 2.0 ms
"""
FUNCTION = """ptxas info    : Function properties for solve
    40 bytes stack frame, 20 bytes spill stores, 12 bytes spill loads
"""
REMARKS = """kernels/a.cl:1:2: remark: Function Name: narrow_phase_one [-Rpass-analysis=kernel-resource-usage]
  153 | PAIR_KERNEL(narrow_phase_one)
      |             ^
a.cl:1:2: remark:     SGPRs: 72 [-Rpass-analysis=kernel-resource-usage]
a.cl:1:2: remark:     VGPRs: 76 [-Rpass-analysis=kernel-resource-usage]
a.cl:1:2: remark:     AGPRs: 3 [-Rpass-analysis=kernel-resource-usage]
a.cl:1:2: remark:     ScratchSize [bytes/lane]: 144 [-Rpass-analysis=kernel-resource-usage]
a.cl:1:2: remark:     LDS Size [bytes/block]: 64 [-Rpass-analysis=kernel-resource-usage]
a.cl:9:2: remark: Function Name: narrow_phase_two [-Rpass-analysis=kernel-resource-usage]
a.cl:9:2: remark:     VGPRs: 5 [-Rpass-analysis=kernel-resource-usage]
a.cl:9:2: remark:     ScratchSize [bytes/lane]: 0 [-Rpass-analysis=kernel-resource-usage]
a.cl:9:2: remark:     LDS Size [bytes/block]: 0 [-Rpass-analysis=kernel-resource-usage]
"""
SIZES = {"narrow_phase_one": 3000, "narrow_phase_two": 500}
PTX = """.version 7.8
.func  (.param .align 4 .b8 func_retval0[8]) solve(
	.param .b32 solve_param_0
)
{
	call.uni (retval0),
	deeper,
	(
	param0
	);
}
.visible .func deeper()
{
	ret;
}
.visible .entry narrow_phase_one(
	.param .u64 narrow_phase_one_param_0
)
{
	call.uni
	solve,
	(
	param0
	);
	call (retval0), %rd1, (param0), prototype_0;
}
.visible .entry narrow_phase_two()
{
	bra.uni solve_not;
}
"""


def elf(sections, calls):
    """An ELF64 file with sections of these names and lengths, and a relocation for each (caller, callee)."""
    rows = [("", 0, b"")] + [(name, 1, bytes(length)) for name, length in sections.items()]
    index = {row[0]: k for k, row in enumerate(rows)}
    symbols = b"".join(struct.pack("<IBBHQQ", 0, 3, 0, k, 0, 0) for k in range(len(rows)))  # one a section
    for caller in dict.fromkeys(caller for caller, _ in calls):
        rows.append((".rela" + caller, 4, b"".join(struct.pack("<QQq", 0, index[to] << 32 | 10, 4)
                                                   for by, to in calls if by == caller)))
    rows += [(".symtab", 2, symbols), (".strtab", 3, b"")]
    names = b"".join(row[0].encode() + b"\0" for row in rows)
    rows[-1] = (".strtab", 3, names)
    headers, body = [], b""
    for name, kind, content in rows:
        link, info = (len(rows) - 2, index[name[len(".rela"):]]) if kind == 4 else (0, 0)
        headers.append(struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), kind, 0, 0, 64 + len(body),
                                   len(content), link, info, 1, 24))
        body += content
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 1, 0, 1, 0, 0, 64 + len(body), 0, 64, 0, 0,
                                                           64, len(headers), len(headers) - 1)
    return head + body + b"".join(headers)


class Outputs(unittest.TestCase):
    def test_what_ptxas_says_of_a_kernel_is_read(self):
        kernels = check_gpu.read_ptxas(PTXAS, SIZES, {}, 64)
        self.assertEqual(kernels["narrow_phase_one"],
                         {"registers": 68, "stack": 128, "shared": 704, "spill_stores": 8, "spill_loads": 4,
                          "spill": 12, "code": 3000, "warps": 28})
        self.assertEqual(kernels["narrow_phase_two"],
                         {"registers": 32, "stack": 0, "shared": 0, "spill_stores": 0, "spill_loads": 0, "spill": 0,
                          "code": 500, "warps": 64})

    def test_spills_of_functions_count_with_the_kernels_that_call_them(self):
        calls = {"narrow_phase_one": {"between"}, "between": {"solve"}, "solve": {"between"}}
        kernels = check_gpu.read_ptxas(PTXAS + FUNCTION, SIZES, calls, 64)
        self.assertEqual([kernels[k]["spill"] for k in SIZES], [44, 0])

    def test_ptx_says_which_functions_a_function_calls(self):
        self.assertEqual(check_gpu.calls_of_ptx(PTX), {"solve": {"deeper"}, "deeper": set(),
                                                       "narrow_phase_one": {"solve"}, "narrow_phase_two": set()})

    def test_a_kernel_that_ptxas_does_not_describe_is_an_error(self):
        for output, sizes in [(PTXAS, {}), (PTXAS.replace("96 bytes stack frame", "an unknown stack"), SIZES)]:
            with self.assertRaises(check_gpu.CompileError):
                check_gpu.read_ptxas(output, sizes, {}, 64)

    def test_what_clang_remarks_on_a_kernel_is_read(self):
        sizes, calls = SIZES | {"solve": 40, "emit": 2, "other": 9}, {"narrow_phase_one": {"solve"}, "solve": {"emit"}}
        kernels = check_gpu.read_remarks(REMARKS, sizes, calls)
        self.assertEqual(kernels["narrow_phase_one"],
                         {"code": 3042, "vgprs": 76, "agprs": 3, "scratch": 144, "lds": 64})
        self.assertEqual(kernels["narrow_phase_two"], {"code": 500, "vgprs": 5, "agprs": 0, "scratch": 0, "lds": 0})

    def test_a_remark_that_is_missing_is_an_error(self):
        with self.assertRaises(check_gpu.CompileError):
            check_gpu.read_remarks(REMARKS.replace("ScratchSize", "Scratch"), SIZES, {})

    def test_sections_of_code_and_what_they_call(self):
        data = elf({".text.narrow_phase_one": 3000, ".rodata": 7, ".text.narrow_phase_two": 500, ".text": 9,
                    ".text.solve": 4},
                   [(".text.narrow_phase_one", ".text.solve"), (".text.narrow_phase_one", ".rodata"),
                    (".text.solve", ".text.solve")])
        sizes, calls = check_gpu.code_of(data)
        self.assertEqual(sizes, SIZES | {"solve": 4})
        self.assertEqual(calls, {"narrow_phase_one": {"solve"}, "solve": {"solve"}})

    def test_of_a_compilers_output_the_first_error_is_shown(self):
        self.assertEqual(check_gpu.first_error("In file\n  a.cl:3:1: error: unknown type\na.cl:4:1: error: more\n"),
                         "a.cl:3:1: error: unknown type")
        self.assertEqual(check_gpu.first_error("ptxas fatal   : Unresolved extern function 'f'\n"),
                         "ptxas fatal   : Unresolved extern function 'f'")

    def test_registers_and_shared_memory_limit_the_warps(self):
        # The last ones: 108 groups of 2 KiB fit, 32 are held; three groups of 68 KiB; a group of 256 has eight warps.
        for (registers, shared, group), warps in {(32, 0, 64): 64, (33, 0, 64): 48, (128, 0, 64): 16, (255, 0, 64): 8,
                                                  (1, 1024, 64): 64, (1, 68 * 1024, 64): 6, (48, 0, 256): 40}.items():
            with self.subTest(registers=registers, shared=shared, group=group):
                self.assertEqual(check_gpu.resident_warps(registers, shared, group), warps)


NVIDIA = {"spill": 0, "registers": 128, "stack": 0, "code": 131072}


class Limits(unittest.TestCase):
    def judge(self, target, stem, numbers, listed=None):
        known = {"k": {target: listed}} if listed else {}
        return check_gpu.violations({(target, stem, "k"): numbers}, known)

    def test_what_is_at_the_limit_holds(self):
        self.assertEqual(self.judge("sm_90", "broad_phase/a", NVIDIA), [])
        self.assertEqual(self.judge("sm_90", "narrow_phase/a", NVIDIA | {"stack": 512}), [])
        self.assertEqual(self.judge("gfx90a", "narrow_phase/a", {"scratch": 512}), [])
        self.assertEqual(self.judge("gfx1100", "broad_phase/a", {"scratch": 0}), [])

    def test_what_is_one_beyond_the_limit_does_not(self):
        for stem, wrong in [("narrow_phase/a", {"spill": 1}), ("narrow_phase/a", {"registers": 129}),
                            ("narrow_phase/a", {"stack": 513}), ("broad_phase/a", {"stack": 1}),
                            ("narrow_phase/a", {"code": 131073}), ("primitives/a", {"stack": 513})]:
            with self.subTest(stem=stem, wrong=wrong):
                self.assertEqual(len(self.judge("sm_90", stem, NVIDIA | wrong)), 1)
        for target in "gfx90a", "gfx1100":
            self.assertEqual(len(self.judge(target, "narrow_phase/a", {"scratch": 513})), 1)
            self.assertEqual(len(self.judge(target, "broad_phase/a", {"scratch": 1})), 1)

    def test_each_limit_is_judged_by_itself(self):
        numbers = {"spill": 8, "registers": 255, "stack": 600, "code": 200000}
        self.assertEqual(len(self.judge("sm_90", "a/a", numbers)), 4)

    def test_a_known_number_may_grow_by_two_percent(self):
        for number, count in (900, 0), (1000, 0), (1020, 0), (1021, 1):
            with self.subTest(number=number):
                self.assertEqual(len(self.judge("gfx90a", "a/a", {"scratch": number}, {"scratch": 1000})), count)

    def test_a_known_number_is_one_of_its_measure_and_target(self):
        listed = {"stack": 900, "registers": 200}
        self.assertEqual(len(self.judge("sm_90", "a/a", NVIDIA | {"registers": 200}, listed)), 1)  # its stack is stale
        known = {"k": {"gfx90a": {"scratch": 900}}}
        self.assertEqual(len(check_gpu.violations({("gfx1100", "a/a", "k"): {"scratch": 900}}, known)), 1)

    def test_an_entry_that_holds_the_limit_is_stale(self):
        lines = self.judge("gfx90a", "a/a", {"scratch": 512}, {"scratch": 1000})
        self.assertEqual(len(lines), 1)
        self.assertIn("stale", lines[0])

    def test_an_entry_of_nothing_is_stale(self):
        results = {("gfx90a", "a/a", "k"): {"scratch": 900}}
        known = {"k": {"gfx90a": {"scratch": 900}}, "gone": {"gfx90a": {"scratch": 900}, "sm_90": {"stack": 900}}}
        self.assertEqual(len(check_gpu.stale_names(results, known, ["gfx90a"])), 1)
        self.assertEqual(len(check_gpu.stale_names(results, {"k": {"gfx90a": {"vgprs": 9}}}, ["gfx90a"])), 1)

    def test_an_updated_list_is_held_and_keeps_what_was_not_compiled(self):
        class Tools:
            def name(self, target):
                return "clang 19.1.7"
        results = {("gfx90a", "a/a", "k"): {"scratch": 900}, ("gfx90a", "a/a", "good"): {"scratch": 8}}
        known = {"compilers": {"sm_90": "clang 19.1.7, ptxas 13.0"},
                 "kernels": {"k": {"sm_90": {"stack": 900}}, "good": {"gfx90a": {"scratch": 900}},
                             "other": {"gfx90a": {"scratch": 700}}}}
        new = check_gpu.updated(known, results, Tools(), ["gfx90a"], whole=False)
        self.assertEqual(new["kernels"], {"k": {"sm_90": {"stack": 900}, "gfx90a": {"scratch": 900}},
                                          "other": {"gfx90a": {"scratch": 700}}})
        self.assertEqual(check_gpu.violations(results, new["kernels"]), [])
        self.assertEqual(sorted(new["compilers"]), ["gfx90a", "sm_90"])
        whole = check_gpu.updated(known, results, Tools(), ["gfx90a"], whole=True)
        self.assertEqual(sorted(whole["kernels"]), ["k"])

    def test_what_was_checked_is_looked_at_again_after_any_change(self):
        class Tools:
            def name(self, target):
                return "clang 19.1.7"
        program = {"stem": "a/a", "mark": " B=1", "options": "-DB=1", "kernels": ["k"], "text": "text"}

        def digest(known=(), target="gfx90a", library="library", tools=Tools(), **changed):
            return check_gpu.digest_of(tools, library, program | changed, target, dict(known))
        as_it_is = digest()
        self.assertEqual(as_it_is, digest({"other": {"gfx90a": {"scratch": 900}}, "k": {"gfx90a": {"scratch": 900}}}))
        Newer = type("Newer", (Tools,), {"name": lambda self, target: "clang 19.1.8"})
        limits = check_gpu.LIMITS
        digests = [as_it_is, digest({"k B=1": {"gfx90a": {"scratch": 900}}}), digest(target="gfx1100"),
                   digest(library="another"), digest(tools=Newer()), digest(text="other text"), digest(options="-DB=2"),
                   digest(kernels=["k", "l"])]
        try:
            check_gpu.LIMITS = limits[:-1]
            digests.append(digest())
        finally:
            check_gpu.LIMITS = limits
        self.assertEqual(len(set(digests)), len(digests))

    def test_what_was_checked_is_of_programs_that_there_are(self):
        checked = check_gpu.load_json(check_gpu.CHECKED, {})
        stems = {os.path.join(os.path.basename(folder), name[:-3]) for folder, _, files in os.walk(
            os.path.join(check_gpu.ROOT, "kernels")) for name in files if name.endswith(".cl")}
        self.assertEqual([name for name in checked if name.split(" ")[0] not in stems], [])

    def test_the_docs_have_the_list(self):
        with open(check_gpu.PAGE, encoding="utf-8") as file:
            self.assertIn("\n\n" + check_gpu.page_table(check_gpu.load_known(check_gpu.KNOWN)) + "\n", file.read())

    def test_which_compilers_count_as_the_same(self):
        was = "clang 19.1.7, ptxas 13.0"
        for now, other in ("clang 19.1.9, ptxas 13.0", False), ("clang 19.1.7, ptxas 12.9", False), (
                "clang 18.1.7, ptxas 13.0", True), ("clang 19.1.7, ptxas 12.0", True), ("clang 19.1.7", True):
            self.assertEqual(check_gpu.other_compilers(was, now), other)


if __name__ == "__main__":
    unittest.main()
