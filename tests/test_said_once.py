"""No duplicate code: what one room does for all rooms is not written a second time elsewhere."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import pytest

from polyclinic.text.words import STOP_WORDS
from tests.sources import as_in_the_demo, nodes, trees

LANGUAGE = "text/"
"""The room for sentences, words, stop lists, stems and whole words."""

_CLASS = re.compile(r"\[(\^?[^\]]*)\](\{|\?)?")
_ANY_WORD = re.compile(r"\(?(?:\\w|\[\^?[^\]]*\\[wW][^\]]*\])\+\)?")
_EDGE = re.compile(r"\(\?<!\\w\)|\(\?<!\[\\w-?\]\)")


@cache
def texts(tree: ast.AST) -> tuple[str, ...]:
    """Every string in the code except docstrings; of an f-string, its fixed parts."""
    told = {
        node.body[0].value
        for node in nodes(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return tuple(
        node.value
        for node in nodes(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in told
    )


def cuts_sentences(tree: ast.AST) -> Iterator[str]:
    """Patterns that split at the end of a sentence, and plain splits at ". ".

    A repeated class with a bound (`[^.!?]{0,20}`), an optional mark (`[.!?]?`) and a class with other marks (`[,.!?]`)
    do not split sentences.
    """
    for text in texts(tree):
        for inside, times in _CLASS.findall(text):
            if "." in inside and ("!" in inside or "?" in inside) and "," not in inside and not times:
                yield text
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            mark = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if node.func.attr in ("split", "partition", "rpartition") and mark in (". ", "? ", "! "):
                yield ast.unparse(node)


def splits_words(tree: ast.AST) -> Iterator[str]:
    """Patterns that match a word and nothing else."""
    return (text for text in texts(tree) if _ANY_WORD.fullmatch(text))


def matches_whole_words(tree: ast.AST) -> Iterator[str]:
    """Patterns that check the letters on both sides of a phrase; patterns with numbers are left out."""
    return (text for text in texts(tree) if _EDGE.search(text) and r"\d" not in text)


def lists_stop_words(tree: ast.AST) -> Iterator[str]:
    """Strings and literals with many words that are mostly stop words."""
    for text in texts(tree):
        if text == text.lower() and "," not in text:
            yield from _mostly_stop_words(text.split())
    for node in nodes(tree):
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            yield from _mostly_stop_words(
                [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            )


def _mostly_stop_words(found: list[str]) -> Iterator[str]:
    if len(found) >= 12 and sum(word in STOP_WORDS for word in found) > 0.7 * len(found):
        yield " ".join(found)


def cuts_endings(tree: ast.AST) -> Iterator[str]:
    """Stemmers: functions with that name, and lists of plain endings."""
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef) and re.search(r"(?:^|_)stem(?:s|med)?$", node.name):
            yield node.name
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            items = {item.value for item in node.elts if isinstance(item, ast.Constant)}
            if {"ing", "ed"} <= items:
                yield ast.unparse(node)


LANGUAGE_TOOLS = (cuts_sentences, splits_words, matches_whole_words, lists_stop_words, cuts_endings)


@pytest.mark.parametrize("finds", LANGUAGE_TOOLS)
def test_language_tools_are_only_in_the_room_text(finds: Callable[[ast.AST], Iterator[str]]) -> None:
    outside = {
        module: found
        for module, tree in trees().items()
        if not module.startswith(LANGUAGE) and (found := list(finds(tree)))
    }
    assert outside == {}


@pytest.mark.parametrize(
    ("finds", "code"),
    [
        (cuts_sentences, 'END = re.compile(r"(?<=[.!?])\\s+")'),
        (cuts_sentences, 'PARTS = re.compile(r"[^.!?\\n]+")'),
        (cuts_sentences, 'first = text.partition(". ")'),
        (splits_words, 'WORD = re.compile(r"\\w+")'),
        (splits_words, 'WORD = re.compile(r"[\\w\'-]+")'),
        (splits_words, 'PAUSE = re.compile(r"[^\\w]+")'),
        (matches_whole_words, 'named = re.compile(rf"(?<!\\w){re.escape(name)}(?!\\w)")'),
        (lists_stop_words, 'STOP = frozenset("a an and are as at be by for from in is it".split())'),
        (lists_stop_words, 'STOP = {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is"}'),
        (cuts_endings, 'ENDINGS = ("ing", "ed", "s")'),
        (cuts_endings, "def _stem(word): return word"),
    ],
)
def test_a_second_language_tool_would_be_found(finds: Callable[[ast.AST], Iterator[str]], code: str) -> None:
    assert list(finds(ast.parse(code)))


QUESTION_WORDS = frozenset(("what", "which", "who", "when", "where", "why", "how"))
QUESTION_ENDINGS = ("나요", "까요", "니까")
OTHER_MATTERS = {
    "clinics/counsel/rules/affirmed.py": "practical questions, all with their mark, in an answer to one question",
    "clinics/counsel/rules/asking.py": "endings that are cut off before a search",
    "clinics/duty/rules/norms/asking.py": "questions that also state or order something",
    "clinics/frontdesk/rules/clauses.py": "where clauses begin, and callers who want to know how things are",
    "clinics/frontdesk/rules/day_patterns.py": "callers who book nothing",
    "clinics/frontdesk/rules/doctor_patterns.py": "doctors who are named for another reason than a visit",
    "clinics/frontdesk/rules/told.py": "questions with their mark about a phone number or an address",
    "clinics/patient/understudies/tricks.py": "how many things one question asks",
    "core/part_echo.py": "questions with their mark that are put to the listener",
    "core/part_phrases.py": "what an assistant offers",
}
"""Patterns with many words of questions that do not decide whether a sentence asks, and what they decide."""


def recognises_questions(tree: ast.AST) -> Iterator[str]:
    """Patterns with most question words of English, or with several endings of Korean questions."""
    for text in texts(tree):
        words, endings = set(re.findall(r"[a-z]+", text)), [end for end in QUESTION_ENDINGS if end in text]
        if "|" in text and (len(QUESTION_WORDS & words) > 4 or len(endings) > 1):
            yield text


def test_only_the_room_text_decides_whether_a_sentence_asks() -> None:
    """`sentences.is_question` for a mark, `questions.asks_something` also without one."""
    found = {module for module, tree in trees().items() if any(recognises_questions(tree))}
    assert {module for module in found if not module.startswith(LANGUAGE)} == OTHER_MATTERS.keys()
    assert {"text/questions.py"} <= found


@pytest.mark.parametrize(
    "code",
    ['ASKS = re.compile(r"^(?:what|which|who|where|how)\\b")', 'ASKS = re.compile(r"\\?|나요|까요|인가|는지")'],
)
def test_a_second_recogniser_of_questions_would_be_found(code: str) -> None:
    assert list(recognises_questions(ast.parse(code)))


def test_only_one_module_reads_the_data_files_of_packages() -> None:
    """Only `core.files`, so that package data is read, and its faults are reported, in one way."""
    asking = [
        module
        for module, tree in trees().items()
        if any(_asks_resources(node) for node in nodes(tree)) and module != "core/files.py"
    ]
    assert asking == []


def _asks_resources(node: ast.AST) -> bool:
    """Whether a module imports `importlib.resources`; importing only its types is allowed."""
    if isinstance(node, ast.ImportFrom):
        return (node.module == "importlib" and any(name.name == "resources" for name in node.names)) or (
            node.module == "importlib.resources"
        )
    return isinstance(node, ast.Import) and any(name.name == "importlib.resources" for name in node.names)


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("from importlib import import_module, resources", True),
        ("from importlib.resources import files", True),
        ("import importlib.resources", True),
        ("from importlib.resources.abc import Traversable", False),
    ],
)
def test_a_second_module_that_reads_package_data_would_be_found(line: str, asks: bool) -> None:
    assert any(_asks_resources(node) for node in nodes(ast.parse(line))) == asks


HAND_MADE = {"ConfigError", "DataError", "UserError", "StoreError"}
FAULTS = {"OSError", "FileNotFoundError", "UnicodeDecodeError", "JSONDecodeError", "TOMLDecodeError"}
PARSES = {"load", "loads", "safe_load", "load_all"}
NOT_FILES = {
    "cli/new.py": 1,  # the folder of a new clinic must not exist yet
    "cli/options.py": 1,  # a network port
    "runner/registry.py": 2,  # a variable of the environment; a clinic that it does not name
    "store/opening.py": 1,  # the address of a store
    "store/transfer.py": 1,  # a backup must not replace a file
    "training/folder.py": 2,  # a folder with another run; a checkpoint that was not written to its end
}
"""How often a module checks a path or catches an `OSError` for another reason than a fault in a user's file."""


def reports_files_by_hand(tree: ast.AST) -> Iterator[str]:
    """Code that reads TOML, YAML or JSON straight from a file, or reports a missing or bad file in its own words.

    `core.files` reads these, and makes the errors: `bad_file`, `missing`, `not_written`.
    """
    for node in nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PARSES:
            parser = ast.unparse(node.func.value)
            if parser in ("tomllib", "yaml") or (parser in ("json", "orjson") and any(map(_reads, ast.walk(node)))):
                yield ast.unparse(node)
        caught = isinstance(node, ast.ExceptHandler) and node.type is not None and _names(node.type) & FAULTS
        looked = isinstance(node, ast.If) and _names(node.test) & {"exists", "is_file", "is_dir"}
        if caught or looked:
            yield from (
                ast.unparse(each)
                for statement in getattr(node, "body", ())
                for each in ast.walk(statement)
                if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call)
                if _names(each.exc.func) & HAND_MADE
            )


def _reads(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("read_text", "read_bytes", "open")


def _names(node: ast.AST) -> set[str]:
    return {getattr(each, "attr", getattr(each, "id", "")) for each in ast.walk(node)}


def test_only_core_files_reads_users_files_and_reports_their_faults() -> None:
    found = {module: list(reports_files_by_hand(tree)) for module, tree in trees().items() if module != "core/files.py"}
    wrong = {module: faults for module, faults in found.items() if len(faults) != NOT_FILES.get(module, 0)}
    assert wrong == {}


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("tables = tomllib.loads(text)", 1),
        ("rows = yaml.safe_load(text)", 1),
        ("head = orjson.loads(path.read_bytes())", 1),
        ("row = orjson.loads(line)", 0),
        ("try: pass\nexcept OSError as error: raise ConfigError(f'{path}: {error}')", 1),
        ("try: pass\nexcept json.JSONDecodeError: raise DataError('not JSON')", 1),
        ("try: pass\nexcept OSError as error: raise bad_file(path, 'broken', error=ConfigError)", 0),
        ("if not path.is_file(): raise ConfigError(f'there is no {path}')", 1),
        ("if not path.is_file(): raise missing(path)", 0),
        ("if not path.is_file(): return None", 0),
    ],
)
def test_a_hand_made_error_for_a_file_would_be_found(code: str, count: int) -> None:
    assert len(list(reports_files_by_hand(ast.parse(code)))) == count


def names_both_sexes(tree: ast.AST) -> Iterator[str]:
    """A separate type for female and male; FHIR's code system has two more codes and is allowed."""
    for node in nodes(tree):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            named = {each.value for each in ast.walk(node.slice) if isinstance(each, ast.Constant)}
            if {"female", "male"} <= named and "unknown" not in named:
                yield ast.unparse(node)


def reads_ages(tree: ast.AST) -> Iterator[str]:
    """Patterns that match ages such as "45-year-old"."""
    return (text for text in texts(tree) if "\\" in text and re.search(r"year.{0,12}old", text))


def takes_the_role_of_a_seat(tree: ast.AST) -> Iterator[str]:
    """Code that gets a role from a seat: `seat.partition("-")[0]` gives ``student`` for ``student-2``."""
    for node in nodes(tree):
        if isinstance(node, ast.Subscript) and re.fullmatch(
            r"\w*(?:seat|role)\w*\.(?:r?partition|r?split)\('-'(?:, \w+=?\w*)?\)\[0\]", ast.unparse(node)
        ):
            yield ast.unparse(node)


def tells_events_as_lines(tree: ast.AST) -> Iterator[str]:
    """Functions that turn every kind of event into a line; functions that show a player only some are allowed."""
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef):
            told = {
                ast.unparse(case.pattern)
                for match in ast.walk(node)
                if isinstance(match, ast.Match)
                for case in match.cases
            }
            if len(told & {"Said()", "ToolUsed()", "Reviewed()", "Violated()", "Learned()"}) > 2:
                yield node.name


@pytest.mark.parametrize(
    ("finds", "home"),
    [
        (names_both_sexes, "people/locales.py"),
        (reads_ages, "people/vignette.py"),
        (takes_the_role_of_a_seat, "core/model.py"),
        (tells_events_as_lines, "eval/reading.py"),
    ],
)
def test_only_one_module_contains_this_code(finds: Callable[[ast.AST], Iterator[str]], home: str) -> None:
    assert {module: found for module, tree in trees().items() if (found := list(finds(tree)))}.keys() == {home}


def test_no_value_is_made_without_validation_or_changed_by_bypassing_its_type() -> None:
    """`core.value` makes values quickly; pydantic's unchecked constructor and `object.__setattr__` are not needed."""
    found = [
        f"{module}:{node.lineno}"
        for module, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("model_construct", "__setattr__")
    ]
    assert found == []


def test_a_value_stores_beside_its_fields_only_what_was_computed_from_them() -> None:
    """Only an attribute that is computed once (`core.value.once`) is stored."""
    writes = {
        (module, ast.unparse(target))
        for module, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Subscript) and ast.unparse(target.value).endswith(".__dict__")
    }
    assert writes == {("core/value.py", "owner.__dict__[self._name]")}


FUNCTION_NODES = 16
"""Shorter bodies, such as a property that returns a field, may be equal by chance."""


class _Renamed(ast.NodeTransformer):
    """Rename arguments and local names by their order and drop annotations, so that only the code is compared."""

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        given = function.args
        self._names = {
            each.arg: f"name{at}" for at, each in enumerate((*given.posonlyargs, *given.args, *given.kwonlyargs))
        }

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Store):
            self._names.setdefault(node.id, f"name{len(self._names)}")
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


Function = ast.FunctionDef | ast.AsyncFunctionDef
_SHAPING = (ast.stmt, ast.Call, ast.Compare, ast.BoolOp, ast.comprehension)


def functions(tree: ast.AST) -> Iterator[tuple[Function, tuple[str, ...]]]:
    """Each function that is long enough, with its shape: the kinds of its statements, calls and conditions. Functions
    that do the same have the same shape, and comparing shapes is cheap.
    """
    for node in nodes(tree):
        if isinstance(node, Function):
            inside = [each for part in node.body if not _is_told(part) for each in ast.walk(part)]
            if len(inside) >= FUNCTION_NODES:
                yield node, tuple(type(each).__name__ for each in inside if isinstance(each, _SHAPING))


def written(function: Function) -> str:
    """A function's code without docstring and original names."""
    renamed = _Renamed(function)
    return ";".join(ast.dump(renamed.visit(copy.deepcopy(each))) for each in function.body if not _is_told(each))


def _is_told(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def test_no_function_is_defined_twice_under_another_name() -> None:
    assert defined_twice(trees()) == []


def defined_twice(sources: Mapping[str, ast.Module]) -> list[list[str]]:
    """The places of each function that is defined in several places; a copy of the demo clinic's is not counted."""
    alike: dict[tuple[str, ...], list[tuple[str, Function]]] = {}
    for path, tree in sources.items():
        for function, shape in functions(tree):
            alike.setdefault(shape, []).append((f"{path} {function.name}", function))
    found: dict[str, list[str]] = {}
    for places in alike.values():
        if len(places) > 1:
            for place, function in places:
                found.setdefault(written(function), []).append(place)
    own = [[each for each in places if each not in _copies(places)] for places in found.values()]
    return [places for places in own if len(places) > 1]


def _copies(places: list[str]) -> list[str]:
    return [place for place in places if place != as_in_the_demo(place) and as_in_the_demo(place) in places]


def test_a_copy_of_the_demo_is_allowed_and_every_other_second_definition_is_found() -> None:
    code = ast.parse("def first(a):\n    b = a * 2 + 3\n    return b * b + a")

    def found(*files: str) -> list[list[str]]:
        return defined_twice({file: copy.deepcopy(code) for file in files})

    assert found("clinics/demo/flow.py", "clinics/sixth/flow.py", "clinics/seventh/flow.py") == []
    for second in ("core/rules.py", "clinics/sixth/rules.py", "clinics/demo/rules.py"):
        assert found("clinics/demo/flow.py", second) == [["clinics/demo/flow.py first", f"{second} first"]]
    assert len(found("clinics/demo/flow.py", "clinics/sixth/flow.py", "core/rules.py")[0]) == 2
    assert found("clinics/sixth/flow.py", "clinics/seventh/flow.py") != []


def test_the_search_for_functions_ignores_names_and_docstrings() -> None:
    first = "def first(a: int) -> int:\n    '''One.'''\n    b: int = a * 2 + 3\n    return b * b + a"
    second = "def second(x, /):\n    y: object = x * 2 + 3\n    return y * y + x"
    other = "def other(x):\n    y = x * 2 + 3\n    return y * y - x"
    found = [next(functions(ast.parse(text))) for text in (first, second, other)]
    texts_found = [written(function).replace("AnnAssign", "Assign") for function, _ in found]
    assert texts_found[0] == texts_found[1] != texts_found[2]
    assert found[0][1] == found[1][1]
