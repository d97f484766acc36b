"""Run the tests, and end with one summary: lit (FileCheck), pytest (unit and end to end), and a tenth of the latter at each x86 target.

python tests/run_all.py [--workers N] [--whole]

Sweeps, which try one mechanism on many generated cases, run a fixed share of these; with `--whole` all of them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from xdsl_relax.targets.cpu import cpu_target, lacking

ROOT = Path(__file__).resolve().parent.parent

TARGETS = ("x86-64", "x86-64-v3", "x86-64-v4")
"""Targets at which one of `SAMPLE` end-to-end tests runs, chosen by the checksum of its name and the target's."""

SAMPLE = 10

SWEEPS = 4
"""One of so many cases of the sweeps runs, chosen by the checksum of its name (`tests/conftest.py`)."""

WORKSTEAL = ("--dist", "worksteal")
"""Neighbors stay together, so that most modules' programs are compiled in one process; a free worker takes from the other's end."""

PYTEST_SUMMARY = r"\b(passed|failed|error|errors)\b.* in [\d.]+s"


def run(name: str, command: list[str], summary: str, *, shown_at_end: bool = False) -> tuple[bool, str]:
    """Run a command, showing its output as it comes or at once; whether it passed, and the lines of it that `summary` matches."""
    start = time.monotonic()
    output = [f"== {name}: {' '.join(command)}\n"]
    if not shown_at_end:
        print(output[0], end="", flush=True)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            output.append(line)
            if not shown_at_end:
                print(line, end="", flush=True)
    if shown_at_end:
        print("".join(output), end="", flush=True)
    seconds = time.monotonic() - start
    verdict = "ok" if process.returncode == 0 else f"FAILED (exit {process.returncode})"
    lines = [" ".join(line.strip("= \n").split()) for line in output[1:] if re.search(summary, line)]
    return process.returncode == 0, f"{name:10} {verdict:8} {seconds:4.0f} s  {', '.join(lines)}"


def run_at_targets(pytest: list[str], workers: int) -> list[tuple[bool, str]]:
    """Run the samples of all targets at the same time, in a process each where there are few workers: each collects the tests once."""
    share = workers // len(TARGETS)

    def run_at(target: str) -> tuple[bool, str]:
        reason = lacking(cpu_target(target))
        if reason:
            return True, f"{target:10} not run: {reason}"
        command = [*pytest, "-n", str(share if share > 1 else 0), *WORKSTEAL]
        command += ["tests/e2e", "--target", target, "--sample", str(SAMPLE)]
        return run(target, command, PYTEST_SUMMARY, shown_at_end=True)

    with ThreadPoolExecutor(len(TARGETS) if workers > 1 else 1) as pool:
        return list(pool.map(run_at, TARGETS))


def main() -> int:
    """Runs all kinds of tests; returns 0 if all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="how many tests run at the same time")
    parser.add_argument("--whole", action="store_true", help="all cases of the sweeps")
    args = parser.parse_args()
    workers: int = args.workers
    sweeps = () if args.whole else ("--sweeps", str(SWEEPS))
    scripts = Path(sys.executable).parent
    pytest = [str(scripts / "pytest")]
    results = [
        # lit goes first: its tests are the quicker ones to read when something basic is broken.
        run(
            "filecheck",
            [str(scripts / "lit"), "-v", "--order=lexical", f"-j{workers}", "tests/filecheck"],
            r"^\s+(Passed|Failed|Unsupported|Timed Out|Unresolved|Expectedly Failed)\s*:",
        ),
        run("pytest", [*pytest, "-n", str(workers), *WORKSTEAL, *sweeps], PYTEST_SUMMARY),
        *run_at_targets(pytest, workers),
    ]
    print("\n== summary")
    for _, line in results:
        print(line)
    return 0 if all(passed for passed, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
