"""Wrong docs fail the build: every command in a `sh` block and every `python` block is run."""

from __future__ import annotations

import ast
import inspect
import io
import re
import shlex
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path

import click
import pytest

from polyclinic.cli.main import cli, invoke
from polyclinic.cli.names import COMMANDS
from polyclinic.core.episode import Episode
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.testing import shape
from tests.sources import as_in_the_demo, clinics_of_the_package, nodes, trees, trees_of

ROOT = Path(__file__).parent.parent
PAGES = [
    str(path.relative_to(ROOT))
    for place in ("README.md", "docs/**/*.md", "src/polyclinic/clinics/*/README.md")
    for path in sorted(ROOT.glob(place))
]
ELSEWHERE = ("docs/guides/evaluation.md", "docs/guides/models.md", "docs/fhir.md")
"""Pages whose Python blocks build on each other and are run by tests of their own."""

LONG = ("docs/guides/reading.md", "src/polyclinic/clinics/patient/README.md")
"""Pages whose commands take long even with small numbers."""

NOT_RUN = {
    "README.md": ("a key, a model server and a person",),
    "docs/fhir.md": ("a server that stays, and clients of it",),
    "docs/quickstart.md": ("the checkout and its first set-up", "a key"),
    "docs/guides/browser.md": ("a server that stays", "a password that is asked for, and a server that stays"),
    "docs/guides/libraries.md": ("exit code 1, which the page explains",),
    "docs/guides/live-sessions.md": ("a server that stays, and passwords",),
    "docs/guides/models.md": ("a key and a model server", "a key", "an extra and a model file", "an extra and a key"),
    "docs/guides/operations.md": ("a cluster and PostgreSQL",),
    "docs/guides/reading.md": (
        "a key, and files of the user's own",
        "minutes of training, and files of the user's own",
    ),
    "docs/guides/training.md": ("an extra", "minutes", "a GPU and model weights", "weights that were trained before"),
    "src/polyclinic/clinics/counsel/README.md": ("a person, a key, files of the user's own, a server that stays",),
    "src/polyclinic/clinics/frontdesk/README.md": ("a server that stays",),
    "src/polyclinic/clinics/rounds/README.md": ("minutes", "a run and a file of the user's own"),
}
"""Why the commands of a page's `text` blocks are not run, block by block: what they need."""

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:polyclinic|make|pip|uv|source|export|curl) ", re.MULTILINE)
INLINE = re.compile(r"`(polyclinic [^`\n]+)`")
FILE = re.compile(r"# (\S+\.(?:toml|yaml))\n")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


def tiny(line: str) -> list[str]:
    """A command of the page with smaller numbers, because it only has to run. The demo clinic is quick."""
    if " demo " in line:
        return shlex.split(line, comments=True)
    line = re.sub(r"--scenarios (\d+)", "--scenarios 1", line)
    line = re.sub(r"--scenarios (train|test|series|T\d):\d+", r"--scenarios \1:1", line)
    line = line.replace("--scenarios tertiary:1", "--scenarios walk-in").replace("--rows 10000", "--rows 20")
    line = re.sub(r"--cases \d+", "--cases 2", line)
    return shlex.split(re.sub(r"--trials \d+", "--trials 2", line), comments=True)


def run_line(line: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run one line of a shell block; other programs (make, pip) are left out."""
    if line.startswith("export "):
        name, _, value = line.removeprefix("export ").partition("=")
        monkeypatch.setenv(name, value.replace("$PWD", str(Path.cwd())))
        clinic_modules.cache_clear()
        return False
    if not line.startswith("polyclinic "):
        return False
    words = tiny(line)
    if words[1] == "run" and "demo" not in words and "--scenarios" not in words and "--config" not in words:
        words += ["--scenarios", "1"]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert invoke(words[1:]) == 0, line
    return True


@pytest.mark.parametrize("page", [pytest.param(page, marks=[pytest.mark.slow] * (page in LONG)) for page in PAGES])
def test_the_commands_and_code_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("POLYCLINIC_STORE", raising=False)
    for kind, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        named = FILE.match(text)
        if kind in ("toml", "yaml") and named:
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        elif kind == "python" and page not in ELSEWHERE:
            exec(compile(text, page, "exec"), {"__name__": "docs"})
        elif kind == "sh":
            for line in text.splitlines():
                run_line(line, monkeypatch)
    monkeypatch.undo()
    clinic_modules.cache_clear()


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_whether_it_is_run(page: str) -> None:
    """`sh` blocks are run. `text` blocks need what `NOT_RUN` says; their commands are only parsed."""
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    if page.startswith("docs/reference"):
        return
    assert all(kind for kind, _ in blocks)
    left_out = [text for kind, text in blocks if kind != "sh" and COMMAND.search(text)]
    assert len(left_out) == len(NOT_RUN.get(page, ())), left_out


def test_the_first_pages_have_commands_that_are_run() -> None:
    for page in ("README.md", "docs/quickstart.md", "src/polyclinic/clinics/counsel/README.md"):
        blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
        assert any(kind == "sh" and "polyclinic run" in text for kind, text in blocks), page


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_page_names_exists_with_these_options(page: str) -> None:
    """Also commands that are not run, because they need a model, a person or a server."""
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = [line for _, block in BLOCK.findall(text) for line in block.splitlines()]
    for line in [*lines, *INLINE.findall(text)]:
        if line.startswith("polyclinic ") and not page.startswith("docs/reference"):
            parse(shlex.split(line.replace("…", ""), comments=True)[1:])


def parse(words: list[str]) -> None:
    """Read a command line as click does, without running it."""
    command: click.Command = cli
    context = click.Context(cli, info_name="polyclinic")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        assert found is not None, words
        command, words = found, words[1:]
        context = click.Context(command, parent=context, info_name=command.name, resilient_parsing=True)
    if "--help" not in words:
        command.parse_args(context, list(words))
        assert isinstance(command, click.Group) or not context.args, f"{command.name}: words that nothing takes"


@pytest.mark.parametrize("recipe", sorted((ROOT / "recipes").glob("*.toml")), ids=lambda recipe: recipe.stem)
def test_every_command_that_a_recipe_names_exists_with_these_words(recipe: Path) -> None:
    named = re.findall(r"^# +(polyclinic .+)", recipe.read_text(encoding="utf-8"), re.MULTILINE)
    assert named
    for line in named:
        words = shlex.split(line)[1:]
        parse(words)
        if words[0] == "compare":
            variants = [word.partition("/")[2] for word in words[1:]]
            assert set(variants) <= set(tomllib.loads(recipe.read_text(encoding="utf-8"))["variants"]), line


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_have_a_target(page: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    dead = [link for link in LINK.findall(text) if not ((ROOT / page).parent / link).exists()]
    assert not dead


def test_every_clinic_that_follows_a_paper_has_one_page_and_both_tables_name_it() -> None:
    readme, index = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/README.md"))
    names = [name for name in clinics_of_the_package() if load_clinic(name).paper != "none"]
    assert len(names) >= 5
    for name in names:
        assert f"[`{name}`](src/polyclinic/clinics/{name}/README.md)" in readme
        assert f"(../src/polyclinic/clinics/{name}/README.md)" in index


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_short_help_is_the_same_as_the_commands_own_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = import_module(f"polyclinic.cli.{COMMANDS[name][0]}").command
    assert command.get_short_help_str(200) == COMMANDS[name][1].rstrip(".") or command.short_help == COMMANDS[name][1]
    assert (command.help or "").startswith(COMMANDS[name][1].split(".")[0])


def test_the_notice_is_in_the_readme_and_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Not a medical device" in (ROOT / "README.md").read_text(encoding="utf-8")
    invoke(["--help"])
    assert "Not a medical device" in capsys.readouterr().out


def test_the_path_from_a_command_to_a_flow_is_as_the_design_says() -> None:
    """Each function of the table calls the next one directly, so the number in the text is right."""
    text = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| `([\w/]+\.py)` \|", text, re.MULTILINE)
    assert "**eight functions in five files**" in text
    assert (len(rows), len({file for _, file in rows})) == (8, 5)
    for (name, file), following in zip(rows, [*(name for name, _ in rows[1:]), "flow"], strict=True):
        assert following.rpartition(".")[2] in _calls(ROOT / "src" / "polyclinic" / file, name), (name, following)


def test_every_way_to_start_a_run_has_as_many_functions_as_the_design_says() -> None:
    text = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .+ \| (`\S+\.py \S+`(?:, `\S+\.py \S+`)*) \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == 6
    for before, in_all in rows:
        path = [place.split() for place in re.findall(r"`([^`]+)`", before)]
        assert len(path) + 5 == int(in_all)
        for (file, name), (_, following) in zip(path, [*path[1:], ("", "execute")], strict=True):
            kind, _, method = following.rpartition(".")
            spelled = {
                method,
                kind or method,
                f"_{method}",
            }  # a class is called to start its method; an import may be renamed
            assert spelled & _calls(ROOT / "src" / "polyclinic" / file, name), (name, following)


def _calls(file: Path, name: str) -> set[str]:
    """The names of everything that a function, or a method written as ``Class.method``, calls."""
    node: ast.AST = ast.parse(file.read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for part in name.split("."):
        node = next(each for each in ast.iter_child_nodes(node) if isinstance(each, kinds) and each.name == part)
    called = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
    return {getattr(one, "attr", getattr(one, "id", "")) for one in called}


def test_the_guide_names_the_calls_of_a_flow_with_their_parameters() -> None:
    guide = (ROOT / "docs/guides/clinic.md").read_text(encoding="utf-8")
    section = guide.partition("## What a flow may do")[2].partition("\n## ")[0]
    calls = re.findall(r"`(?:episode\.)?(\w+)\(([\w, ]+)\)`", section)
    assert {"library", "effect", "post", "random", "enter_lane"} <= {name for name, _ in calls}
    for name, given in calls:
        known = inspect.signature(getattr(Episode, name)).parameters
        assert set(given.split(", ")) <= set(known), f"{name}({given})"


def test_contributing_lists_the_layers_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(each["layers"] for each in contracts if each["id"] == "building")
    written = " > ".join(layer.replace("(", "").replace(")", "") for layer in layers)
    assert f"`{written}`" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_glossary_names_classes_that_exist_and_each_word_once() -> None:
    rows = re.findall(
        r"^\| ([a-z ]+) \| .+ \| (?:`([\w.]+)`)? ?\|$",
        (ROOT / "docs/design.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    words = [word for word, _ in rows if word != "word"]
    assert len(words) == len(set(words)) >= 35
    assert {"reader", "finding", "note", "effect", "turn", "case", "verdict", "estimate"} <= set(words)
    for word, dotted in rows:
        if dotted:
            module, _, name = dotted.rpartition(".")
            assert hasattr(import_module(f"polyclinic.{module}"), name), f"{word}: {dotted}"


def test_the_glossary_contains_every_core_class_that_is_used_everywhere() -> None:
    """A newcomer meets these in nearly every file. Errors have a tree of their own in `polyclinic.errors`."""
    glossary = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    core = {
        node.name
        for _, tree in trees_of("core")
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef) and not node.name.endswith("Error")
    }
    imported = {
        (file, each.name)
        for file, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    copied = {
        (file, name)
        for file, name in imported
        if as_in_the_demo(file) != file and (as_in_the_demo(file), name) in imported
    }
    used = Counter(name for _, name in imported - copied)
    common = {name for name in core if used[name] >= 20}
    assert {"Clinic", "Episode", "Request"} <= common
    assert {name for name in common if f".{name}` |" not in glossary} == set()


def test_the_guide_names_everything_that_the_contract_requires_of_a_new_clinic() -> None:
    guide = (ROOT / "docs/guides/clinic.md").read_text(encoding="utf-8")
    table = {row.split("|")[1]: row for row in guide.splitlines() if row.startswith("| `")}
    for room, entry in shape.ENTRIES:
        assert any(f"`{room}`" in name and f"`{entry}`" in row for name, row in table.items()), (room, entry)
    for room in shape.ROOMS:
        assert any(f"`{room}`" in name and row.rstrip().endswith("| yes |") for name, row in table.items()), room
    for heading in shape.HEADINGS:
        assert heading.removeprefix("## ") in guide
    for place in ("`README.md`", "`docs/README.md`", "`tests/clinics/NAME/test_NAME.py`", "`CHANGELOG.md`"):
        assert place in guide
    assert "`data/korean.toml`" in "".join(table) and "`Clinic(headline=…)` is needed" in guide


def test_the_guide_names_every_file_that_polyclinic_new_writes() -> None:
    guide = (ROOT / "docs/guides/clinic.md").read_text(encoding="utf-8")
    table = "".join(row.split("|")[1] for row in guide.splitlines() if row.startswith("| `"))
    written = [path for path in (ROOT / "src/polyclinic/clinics/demo").iterdir() if path.name != "__pycache__"]
    assert len(written) > 12
    assert [path.name for path in written if not re.search(rf"`{path.stem}(\.|`|/)", table)] == []
