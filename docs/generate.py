"""Writes the generated pages: the command line's help and the settings of a run file. ``--check`` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from polyclinic.cli.main import cli
from polyclinic.runner.plan.config import RunConfig

HERE = Path(__file__).parent / "reference"


def help_pages(command: click.Command, path: str, context: click.Context | None = None) -> list[str]:
    """The help of a command and of everything below it."""
    here = click.Context(
        command, info_name=path.rpartition(" ")[2], parent=context, max_content_width=110, terminal_width=110
    )
    text = command.get_help(here)
    pages = [f"## {path}\n\n```text\n{text}\n```\n"]
    if isinstance(command, click.Group):
        for name in command.list_commands(here):
            below = command.get_command(here, name)
            if below is not None:
                pages += help_pages(below, f"{path} {name}", here)
    return pages


def cli_page() -> str:
    """Every command's help."""
    return "# Command line\n\nGenerated from `polyclinic --help`.\n\n" + "\n".join(help_pages(cli, "polyclinic"))


def config_page() -> str:
    """Every setting of a run file."""
    lines = ["# Run files", "", "A run file is TOML; every setting is also a flag of `polyclinic run`.", ""]
    lines += ["| setting | type | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in RunConfig.model_fields.items():
        kind = str(field.annotation).replace("<class '", "").replace("'>", "").replace("|", "or")
        default = "required" if field.is_required() else repr(field.default)
        lines.append(f"| `{name}` | {kind} | `{default}` | {field.description or ''} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write, or with --check compare; returns the number of pages out of date."""
    stale = 0
    for name, text in (("cli.md", cli_page()), ("config.md", config_page())):
        path = HERE / name
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                print(f"docs/reference/{name} is out of date: run make docs")
                stale += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
