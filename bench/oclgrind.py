"""What the scripts share that run the command under Oclgrind with a plugin of ours."""
import os
import shutil
import subprocess
import sys


def skip(why):
    """Ends the script with the status of what was not run."""
    print(why)
    sys.exit(77)


def build_plugin(source, to):
    if not shutil.which("oclgrind") or not shutil.which("llvm-config-14"):
        skip("oclgrind or llvm-config-14 is not installed")
    include = subprocess.run(["llvm-config-14", "--includedir"], capture_output=True, text=True).stdout.strip()
    for header in (os.path.join(include, "llvm/IR/Instructions.h"), "/usr/include/oclgrind/Plugin.h"):
        if not os.path.exists(header):
            skip(f"{header} is not installed")
    flags = subprocess.run(["llvm-config-14", "--cppflags"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["c++", "-std=c++20", "-O2", "-shared", "-fPIC", "-fno-rtti", *flags, source, "-o", to], check=True)


def environment(folder, *plugins):
    """No compiled kernels of other runs are used. Divisions and roots are the device's own: one instruction each."""
    return dict(os.environ, OCLIDE_CACHE_DIR=os.path.join(folder, "cache"), OCLGRIND_PLUGINS=":".join(plugins),
                OCLIDE_SOFTWARE_DIVIDE_SQRT="0")


def call(command, environment=None):
    """What it prints; where it fails, the script ends with what it says."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {(done.stderr.strip() or done.stdout.strip())[-2000:]}")
    return done.stdout
