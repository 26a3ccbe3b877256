"""Answers the runner: a line of JSON in, {do, ...arguments}; a line out, {wall, cpu, found}, in milliseconds.

python -m bench.reference.serve {ours,bm25s}
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from typing import Any


def subject(name: str) -> Any:
    if name == "ours":
        from bench.reference.ours import Ours

        return Ours()
    from bench.reference.bm25 import Bm25

    return Bm25()


def main() -> None:
    served = subject(sys.argv[1])
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        given = json.loads(line)
        operation = getattr(served, given.pop("do"))
        try:
            wall, cpu = time.perf_counter(), time.process_time()
            found = operation(**given)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            answer = {"wall": wall * 1000, "cpu": cpu * 1000, "found": found}
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
