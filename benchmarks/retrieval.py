"""Nearest rows among a thousand, a hundred thousand and a million: time of a query, recall against the exact answer.

    python benchmarks/retrieval.py [--write]

The rows are wordllama's vectors of a million different doctor's questions, composed from phrases; the queries are other
questions about the same things. It runs on one core. Goals: a median query within 1, 3 and 10 ms.
"""

from __future__ import annotations

import argparse
import itertools
import platform
import time
from pathlib import Path

import numpy as np

from polyclinic.core.seed import stream
from polyclinic.retrieval.calibration import calibrate
from polyclinic.retrieval.embedders import WordLlamaEmbedder, embedder, unit_rows
from polyclinic.retrieval.index import ExactIndex, new_index

RESULTS = Path(__file__).parent / "results" / "retrieval.md"
STARTS = """Do you have|Have you ever had|When did you first notice|Does anyone in your family have|How bad is|
Can you describe|What makes worse|What helps with|Are you worried about|How long have you had"""
PLACES = (
    "chest|left arm|right knee|lower back|neck|stomach|head|jaw|shoulder|ankle|hip|throat|ear|eye|hand|foot|skin|groin"
)
SIGNS = """pain|swelling|numbness|weakness|burning|itching|stiffness|bleeding|cramp|tingling|redness|pressure|ache|
spasm|rash|lump|bruise|discharge|tremor|tenderness"""
TIMES = """at night|after meals|when walking|in the morning|since last week|for many years|on standing up|while resting|
during exercise|after the fall|with fever|when coughing|in cold weather|after work|before sleep|when bending|
with breathing|on waking|at school|after surgery|when swallowing|in the bath|on the stairs|with stress|under the ribs|
when lying flat|after coffee|in the car"""
ENDS = "| again| this year| now and then| every day| only once| as a child| twice a week| before the visit| since May"
GOALS_MS = {1_000: 1.0, 100_000: 3.0, 1_000_000: 10.0}


def phrases(text: str) -> list[str]:
    return text.replace("\n", "").split("|")


def questions(count: int) -> list[str]:
    parts = itertools.product(*map(phrases, (STARTS, SIGNS, PLACES, TIMES, ENDS)))
    made = [f"{start} {sign} in the {place} {when}{end}?" for start, sign, place, when, end in parts]
    stream("retrieval benchmark").shuffle(made)
    return made[:count]


def rows() -> list[str]:
    words = WordLlamaEmbedder()
    texts = questions(1_000_000)
    vectors = np.concatenate([unit_rows(words.compute(texts[at : at + 50_000])) for at in range(0, len(texts), 50_000)])
    chance = stream("retrieval queries")
    asked = [
        f"Tell me about the {chance.choice(phrases(SIGNS))} of your {chance.choice(phrases(PLACES))}"
        f" {chance.choice(phrases(TIMES))}, please."
        for _ in range(60)
    ]
    queries = words.embed(asked)
    made = []
    for count, goal in GOALS_MS.items():
        index, exact = new_index(256), ExactIndex(256)
        started = time.perf_counter()
        index.add(vectors[:count])
        build_s = time.perf_counter() - started
        exact.add(vectors[:count])
        took, busy, hits = [], [], 0
        for query in queries:
            started, cpu = time.perf_counter(), time.thread_time()
            found = index.nearest(query, 10)
            busy.append(time.thread_time() - cpu)
            took.append(time.perf_counter() - started)
            hits += len({row for row, _ in found} & {row for row, _ in exact.nearest(query, 10)})
        median, cpu_ms = 1000 * float(np.median(took)), 1000 * float(np.median(busy))
        recall = hits / (10 * len(queries))
        made.append(f"| {count:,} | {median:.2f} | {cpu_ms:.2f} | ≤ {goal:g} | {recall:.3f} | {build_s:.2f} |")
        print(made[-1], flush=True)
    return made


def separations() -> list[str]:
    made = []
    for spec, language in itertools.product(("wordllama", "hashing"), ("en", "ko")):
        calibration = calibrate(embedder(spec).embed, [language])
        at = calibration.threshold(0.9)
        area, recall = calibration.separation(), calibration.recall(at)
        made.append(f"| {spec} | {language} | {area:.3f} | {at:.3f} | {recall:.2f} |")
    return made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = "\n".join(
        [
            "# Retrieval",
            "",
            f"`python benchmarks/retrieval.py`, {platform.machine()}, Python {platform.python_version()}, one "
            f"core of two"
            " shared ones. On a busy machine trust the CPU column.",
            "",
            "| rows | median query ms | its CPU ms | goal | recall of the 10 nearest | build s |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows(),
            "",
            "How well the embedders tell the shipped paraphrases from different questions:",
            "",
            "| embedder | language | area under the curve | published 0.9 becomes | paraphrases found there |",
            "| --- | --- | --- | --- | --- |",
            *separations(),
            "",
            "Thresholds that the engine uses are calibrated on the languages an embedder knows: wordllama on English,"
            " hashing on both.",
            "",
        ]
    )
    print(text)
    if given.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
