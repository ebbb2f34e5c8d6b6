"""`polyclinic check`: check a clinic against the contract for all clinics, one line for each check."""

from __future__ import annotations

import click

from polyclinic.cli.options import json_option, print_result, wait
from polyclinic.runner.registry import load_clinic
from polyclinic.testing.contract import ContractCheck, checks


@click.command(name="check", short_help="Check that a clinic meets the contract for all clinics.")
@click.argument("name")
@click.option(
    "--quick", is_flag=True, help="Only checks that run no episode: rooms, prompts, understudies, live sessions."
)
@json_option
def command(name: str, quick: bool, as_json: bool) -> int:
    """Check that a clinic meets the contract for all clinics.

    Exit status 1 when a check fails. A check that fails does not stop the others.
    """
    found = {}
    for check in checks(load_clinic(name)):
        if quick and check.runs:
            continue
        found[check.name] = fault = wait(_fault(check))
        if not as_json:
            click.echo(f"{'FAILED' if fault else 'ok':6}  {check.name}" + (f"\n        {fault}" if fault else ""))
    failed = [check for check, fault in found.items() if fault]
    print_result(
        as_json,
        {"clinic": name, "checks": found, "failed": failed},
        f"{len(found) - len(failed)} of {len(found)} checks passed",
    )
    return 1 if failed else 0


async def _fault(check: ContractCheck) -> str:
    """Run one check: returns a message that says what is wrong, or an empty text if the check passed."""
    try:
        await check.run()
    except AssertionError as error:
        return str(error) or "failed"
    return ""
