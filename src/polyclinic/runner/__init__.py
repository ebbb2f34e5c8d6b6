"""Runs, in three layers: `plan` (what was asked, parsed once), `build` (names to objects), `execute` (many episodes,
resumable).

Above them, `api` ties the three together, `drive` does it for a person at a terminal and `notebook` for a script;
`results` and `reports` read what came out. `registry`, below them, knows which clinics there are.
"""
