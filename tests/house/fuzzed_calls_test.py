"""Every function of oclide.h is called by the fuzzer of the C API, or stands in its list of those left out with a
reason.

fuzzed_calls_test.py ROOT    prints what is in neither or in both, a line each; exit status 1 if there is anything.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
header = (root / "include/oclide/oclide.h").read_text(encoding="utf-8")
fuzzer = (root / "tests/fuzz/c_api_fuzz.cpp").read_text(encoding="utf-8")

functions = set(re.findall(r"^OCLIDE_API [^;(]*?(\w+)\(", header, re.MULTILINE))
left_out = set(re.findall(r"^//   (oclide_\w+): \S", fuzzer, re.MULTILINE))
named = set(re.findall(r"\boclide_\w+", re.sub(r"//[^\n]*", "", fuzzer)))

lines = [f"{name}: neither fuzzed nor left out with a reason" for name in sorted(functions - named - left_out)]
lines += [f"{name}: left out, and fuzzed" for name in sorted(left_out & named)]
lines += [f"{name}: left out, and not in oclide.h" for name in sorted(left_out - functions)]
print("\n".join(lines) or f"{len(functions)} functions: {len(functions & named)} fuzzed, {len(left_out)} left out")
sys.exit(1 if lines or not functions else 0)
