"""Run every test, and end with one summary: lit (FileCheck), pytest (unit and end to end), and a tenth of the latter at each x86 target.

python tests/run_all.py [--workers N]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

from xdsl_relax.targets.cpu import cpu_target, lacking

ROOT = Path(__file__).resolve().parent.parent

TARGETS = ("x86-64", "x86-64-v3", "x86-64-v4")
"""Targets at which one of `SAMPLE` end-to-end tests runs, chosen by the checksum of its name and the target's."""

SAMPLE = 10


PYTEST_SUMMARY = r"\b(passed|failed|error|errors)\b.* in [\d.]+s"


def run(name: str, command: list[str], summary: str) -> tuple[bool, str]:
    """Run a command, showing its output; whether it passed, and the lines of its output that `summary` matches."""
    print(f"== {name}: {' '.join(command)}", flush=True)
    start = time.monotonic()
    lines: list[str] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if re.search(summary, line):
                lines.append(" ".join(line.strip("= \n").split()))
    seconds = time.monotonic() - start
    verdict = "ok" if process.returncode == 0 else f"FAILED (exit {process.returncode})"
    return process.returncode == 0, f"{name:10} {verdict:8} {seconds:4.0f} s  {', '.join(lines)}"


def main() -> int:
    """Run all kinds of tests; 0 if all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", default="2", help="how many tests run at the same time")
    workers = parser.parse_args().workers
    scripts = Path(sys.executable).parent
    # Neighbors stay together, so that most modules' programs are compiled in one process; a free worker takes from the other's end.
    pytest = [str(scripts / "pytest"), "-n", workers, "--dist", "worksteal"]
    results = [
        # lit goes first: its tests are the quicker ones to read when something basic is broken.
        run(
            "filecheck",
            [str(scripts / "lit"), "-v", "--order=lexical", f"-j{workers}", "tests/filecheck"],
            r"^\s+(Passed|Failed|Unsupported|Timed Out|Unresolved|Expectedly Failed)\s*:",
        ),
        run("pytest", pytest, PYTEST_SUMMARY),
    ]
    for target in TARGETS:
        reason = lacking(cpu_target(target))
        if reason:
            results.append((True, f"{target:10} not run: {reason}"))
            continue
        command = [*pytest, "tests/e2e", "--target", target, "--sample", str(SAMPLE)]
        results.append(run(target, command, PYTEST_SUMMARY))
    print("\n== summary")
    for _, line in results:
        print(line)
    return 0 if all(passed for passed, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
