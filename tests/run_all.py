"""Run the tests, and end with one summary: lit (FileCheck), pytest (unit and end to end; some of the latter at each x86 target as well).

python tests/run_all.py [--workers N] [--whole]

Sweeps, which try one mechanism on many cases, run a fixed share of these; with `--whole` all of them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from xdsl_relax.targets.cpu import CpuTarget, cpu_target, lacking

ROOT = Path(__file__).resolve().parent.parent

TARGETS = ("x86-64", "x86-64-v3", "x86-64-v4")
"""Targets at which some of the end-to-end tests run as well (`tests/conftest.py`), where this machine can run their code, and other code
than for itself."""

SAMPLE = 30
"""One of about so many end-to-end tests runs at each of these targets."""

SWEEPS = 20
"""One of so many cases of the sweeps runs, chosen by the checksum of its name, where they name no share of their own
(`tests/conftest.py`)."""

WORKSTEAL = ("--dist", "worksteal")
"""Neighbors stay together, so that most modules' programs are compiled in one process; a free worker takes from the other's end."""

NATIVE = cpu_target("native")


def reason_against(target: CpuTarget) -> str:
    """Returns why no test runs for a target as well: this machine cannot, or all run for one like it; empty if some do."""
    if lacking(target):
        return lacking(target)
    kinds = [
        (cpu.vector_bits, cpu.vector_registers, cpu.dot_products, cpu.lookup, cpu.converts_f16)
        for cpu in (target, NATIVE)
    ]
    return "this machine's own target has the same vectors and products" if kinds[0] == kinds[1] else ""


PYTEST_SUMMARY = r"\b(passed|failed|error|errors)\b.* in [\d.]+s"


def run(name: str, command: list[str], summary: str) -> tuple[bool, str]:
    """Run a command, showing its output as it comes; whether it passed, and the lines of it that `summary` matches."""
    start = time.monotonic()
    output: list[str] = []
    print(f"== {name}: {' '.join(command)}", flush=True)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            output.append(line)
            print(line, end="", flush=True)
    seconds = time.monotonic() - start
    verdict = "ok" if process.returncode == 0 else f"FAILED (exit {process.returncode})"
    lines = [" ".join(line.strip("= \n").split()) for line in output if re.search(summary, line)]
    return process.returncode == 0, f"{name:10} {verdict:8} {seconds:4.0f} s  {', '.join(lines)}"


def main() -> int:
    """Runs all kinds of tests; returns 0 if all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="how many tests run at the same time")
    parser.add_argument("--whole", action="store_true", help="all cases of the sweeps")
    args = parser.parse_args()
    workers: int = args.workers
    sweeps = () if args.whole else ("--sweeps", str(SWEEPS))
    scripts = Path(sys.executable).parent
    reasons = {target: reason_against(cpu_target(target)) for target in TARGETS}
    targets = [option for target, reason in reasons.items() if not reason for option in ("--also-at", target)]
    targets += ["--sample", str(SAMPLE)] if targets else []
    results = [
        # lit goes first: its tests are the quicker ones to read when something basic is broken.
        run(
            "filecheck",
            [str(scripts / "lit"), "-v", "--order=lexical", f"-j{workers}", "tests/filecheck"],
            r"^\s+(Passed|Failed|Unsupported|Timed Out|Unresolved|Expectedly Failed)\s*:",
        ),
        run("pytest", [str(scripts / "pytest"), "-n", str(workers), *WORKSTEAL, *sweeps, *targets], PYTEST_SUMMARY),
        *((True, f"{target:10} not run: {reason}") for target, reason in reasons.items() if reason),
    ]
    print("\n== summary")
    for _, line in results:
        print(line)
    return 0 if all(passed for passed, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
