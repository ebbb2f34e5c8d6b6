"""The commands: name to (module, one line of help). The help here and in a command's own docstring are held equal by a
test.
"""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "Run a small sample of every clinic offline and write one HTML report."),
    "run": ("run", "Run a clinic: scenarios × variants × trials, with a cast."),
    "resume": ("resume", "Carry on with a run that was stopped, and retry what failed."),
    "runs": ("runs", "List the runs in the store."),
    "show": ("show", "Show one episode's transcript."),
    "report": ("report", "Report on a run: terminal, JSON or one HTML file."),
    "compare": ("compare", "Compare two variants, or two runs, on the same scenarios."),
    "judge": ("judge", "Score a finished run again, without running it again."),
    "audit": ("audit", "Have people rate transcripts blind, and compare them with the judges."),
    "export": ("export", "Export a run's rows to JSON lines or Parquet."),
    "dataset": ("dataset", "Turn a clinic's episodes into training data: chat rows, JSONL, Parquet, a data card."),
    "evolve": ("evolve", "Let a clinic learn from case to case, and keep what it learned."),
    "library": ("library", "Look into what was learned: list, search, diff, merge, roll back, check."),
    "clinics": ("clinics", "List the clinics, their roles, variants and judges."),
    "scenarios": ("scenarios", "List, show or lint a clinic's scenarios."),
    "prompts": ("prompts", "Print what a model would get: a clinic's prompts, filled in from a scenario."),
    "audition": ("audition", "Try a model in every role on small scenes, before anyone pays for a run."),
    "play": ("play", "Take a role yourself, in the terminal, and get feedback."),
    "grades": ("grades", "Write the results of a class that played as a CSV file."),
    "fhir": ("fhir", "Serve the hospital's FHIR R5 records, load into them, try a server out."),
    "eval": ("eval", "Run a clinic's named evaluation, such as counsel-guard."),
    "train": ("train", "Train a reader, from the labelled readings in the package."),
    "ingest": ("ingest", "Turn a folder of documents into sources for a clinic."),
    "serve": ("serve", "Serve a clinic's live sessions over HTTP."),
    "check": ("check", "Check that a clinic keeps the contract of all clinics."),
    "new": ("new", "Start a clinic of your own from the demo clinic."),
    "doctor": ("doctor", "Check the environment, the store and a model endpoint."),
}
