"""kill -9 at 50 random points of a 500-episode run with a slow endpoint, by one process and by two.

python benchmarks/kill.py [--episodes 500] [--kills 50]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from polyclinic.testing.killing import kill_and_resume


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency-s", type=float, default=0.2)
    asked = parser.parse_args()
    for processes in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            killed = await kill_and_resume(
                Path(folder),
                episodes=asked.episodes,
                kills=asked.kills,
                concurrency=asked.concurrency,
                latency_s=asked.latency_s,
                processes=processes,
            )
        most = killed.kills * asked.concurrency
        print(
            f"{processes} process(es): {killed}; repeated {killed.repeated} of at most {most} calls; same "
            f"bytes: {killed.same}"
        )


if __name__ == "__main__":
    asyncio.run(main())
