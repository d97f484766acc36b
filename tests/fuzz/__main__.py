"""`python -m tests.fuzz --seconds 600 --seed 0`: random programs, hostile sizes, mutated files; what fails is cut down and written."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from xdsl_relax.whole_file import require_writable

from .session import SHARES, Session

REGRESSIONS = Path(__file__).parents[1] / "e2e" / "regressions"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the tool; exit status 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long to run")
    parser.add_argument(
        "--count", type=int, help="how many of each kind to check at most (default: 100 without --seconds)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--size", type=int, help="the number of ops of a program (default: random, 20 to 60)")
    parser.add_argument("--only", choices=list(SHARES), action="append", help="check these kinds (default: all)")
    parser.add_argument("--thorough", action="store_true", help="every configuration and pass for each program")
    parser.add_argument("--no-reduce", action="store_true", help="only print what fails")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=REGRESSIONS, help="where cut files go (default: %(default)s)"
    )
    args = parser.parse_args(argv)
    session = Session(args.seed, None if args.no_reduce else args.out, args.thorough, args.size)
    if session.out is not None:
        try:
            session.out.mkdir(parents=True, exist_ok=True)
            require_writable(session.out / "seed.mlir")
        except OSError as error:
            print(f"{error.filename}: error: {(error.strerror or str(error)).lower()}", file=sys.stderr)
            return 1
    count = args.count if args.count is not None or args.seconds is not None else 100
    with suppress(KeyboardInterrupt):
        session.run(tuple(args.only or SHARES), args.seconds, count)
    session.print_table()
    return int(bool(session.failures))


if __name__ == "__main__":
    sys.exit(main())
