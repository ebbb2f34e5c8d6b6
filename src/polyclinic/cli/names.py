"""The commands: for each name, its module and one line of help. A test checks that the help here is the same as in the
command's own docstring.
"""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "Run a small sample of every clinic offline and write one HTML report."),
    "run": ("run", "Run a clinic: scenarios × variants × trials, with a cast."),
    "resume": ("resume", "Resume a run that was stopped, and retry its failed episodes."),
    "runs": ("runs", "List the runs in the store, delete or free them."),
    "store": ("store", "Move a store between SQLite and PostgreSQL, check, prune or back it up."),
    "show": ("show", "Show one episode's transcript."),
    "report": ("report", "Report on a run: terminal, JSON or one HTML file."),
    "compare": ("compare", "Compare two variants, or two runs, on the same scenarios."),
    "judge": ("judge", "Score a finished run again, without running it again."),
    "audit": (
        "audit",
        "Let people rate transcripts or read texts blind, and compare them with the judges or the reader.",
    ),
    "export": ("export", "Export a run's rows to JSON lines, CSV or Parquet."),
    "dataset": ("dataset", "Turn a clinic's episodes into training data (JSONL, Parquet) with a data card."),
    "evolve": ("evolve", "Let a clinic learn from case to case, and save what it learned."),
    "library": ("library", "Inspect learned libraries: list, search, diff, merge, roll back, check."),
    "clinics": ("clinics", "List the clinics, their roles, variants and judges."),
    "scenarios": ("scenarios", "List, show or lint a clinic's scenarios."),
    "prompts": ("prompts", "Show the prompts of a clinic as a model gets them, filled in from a scenario."),
    "audition": ("audition", "Test a model in every role on small scenes before you pay for a run."),
    "play": ("play", "Take a role yourself, in the terminal, and get feedback."),
    "grades": ("grades", "Write the scores of people who played a role to a file."),
    "fhir": ("fhir", "Serve the hospital's FHIR R5 records, load data, or test a server."),
    "whatif": ("whatif", "Compare settings of an operation on the same patients, with intervals."),
    "eval": ("eval", "Run a clinic's named evaluation, or measure a reader."),
    "train": ("train", "Train a model for a role, the reader, or a classifier of a clinic."),
    "ingest": ("ingest", "Turn a folder of documents into sources for a clinic."),
    "web": ("web", "Open the browser: practise, look into runs, watch over live sessions."),
    "serve": ("serve", "Serve a clinic's live sessions over HTTP."),
    "staff": ("staff", "Manage accounts (live sessions, browser) and read the audit log."),
    "check": ("check", "Check that a clinic meets the contract for all clinics."),
    "new": ("new", "Create your own clinic from the demo clinic."),
    "doctor": ("doctor", "Check the environment, the store and a model endpoint."),
}
