"""Runs, in three layers: plan, build, execute.

`plan` parses and checks once what the user asked for, `build` turns names into objects, and `execute` runs many
episodes and can be resumed. Above them, `api` calls all three, `drive` calls `api` for a person at a terminal, and
`notebook` calls it for a script. `results` and `reports` read the finished runs. `registry`, below them, knows all
clinics.
"""
