"""Count the engine, the clinic's world and the reading separately, for `instructions.py --split`.

Reading is what happens inside `READING`: the understudies, and the rules and readers that find out what was said. The
world is what happens inside `WORLD`: drawing people, keeping diaries, and the tools that read them. The engine is
everything else: prompts, keys, values, transcript, journal and store, and what flows and judges do themselves.

A run is counted completely, then without the reading, then without reading and world: valgrind stops counting while
such a function is running. For that, each function of these modules gets new code, which stops the count, calls the old
code and starts the count again. Only the outermost such call does so. Entering and leaving count as the engine's, and
so do coroutines and generators. Needs gcc and valgrind's header.
"""

from __future__ import annotations

import ctypes
import inspect
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

READING = re.compile(
    r"polyclinic\.(reading|text|core\.part\w*|core\.understudy|eval\.rubric_understudy"
    r"|clinics\.\w+\.(understudies|rules|readings)(?!\.(clock|codes|slots|snapshot|notes|usage)\b))(\.|$)"
)
"""Understudies, readers and the rules that find out what was said.

Files of `rules` that only count times are left out.
"""
WORLD = re.compile(r"polyclinic\.(people|clinics\.\w+\.(scenario|state|tools|rules))(\.|$)")
_C = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; }
void turn(void) { CALLGRIND_TOGGLE_COLLECT; }
"""
_NAME = "__read_uncounted__"


def start(part: str) -> None:
    """Count from now on: "all", "unread" (all except the reading), or only the "engine"."""
    valgrind = _requests()
    if part != "all":
        names = [name for name in sys.modules if READING.match(name) or (part == "engine" and WORLD.match(name))]
        _leave_out([sys.modules[name] for name in names], valgrind.turn)
    valgrind.start()


def _leave_out(modules: list[ModuleType], turn: Callable[[], object]) -> None:
    originals: list[FunctionType] = []
    inside = False

    def run(number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal inside
        if inside:
            return originals[number](*args, **kwargs)
        inside = True
        turn()
        try:
            return originals[number](*args, **kwargs)
        finally:
            turn()
            inside = False

    for module in modules:
        module.__dict__[_NAME] = run
        for function in _functions(module):
            same = FunctionType(
                function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
            )
            same.__kwdefaults__ = function.__kwdefaults__
            vars(function)["__signature__"] = inspect.signature(same)  # pydantic looks at it, also for later models
            function.__code__ = _code(len(originals))
            originals.append(same)


def _requests() -> ctypes.PyDLL:
    """The requests that a program can send to valgrind."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "requests.so"
        command = ["gcc", "-shared", "-fPIC", "-O2", "-x", "c", "-", "-o", str(library)]
        subprocess.run(command, input=_C, text=True, check=True)
        return ctypes.PyDLL(str(library))


def _code(number: int) -> CodeType:
    made: dict[str, Any] = {}
    exec(f"def f(*args, **kwargs): return {_NAME}({number}, args, kwargs)", made)
    code: CodeType = made["f"].__code__
    return code


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods that a module defines, each once, except those that need a closure."""
    owners = [module, *(each for each in vars(module).values() if inspect.isclass(each))]
    seen: set[FunctionType] = set()
    for owner in owners:
        if owner is not module and owner.__module__ != module.__name__:
            continue
        for member in list(vars(owner).values()):
            found = inspect.unwrap(getattr(member, "__func__", None) or getattr(member, "fget", None) or member)
            if not isinstance(found, FunctionType) or found.__module__ != module.__name__ or found in seen:
                continue
            if found.__closure__ or found.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
                continue
            if found.__globals__ is module.__dict__:  # not what `dataclass` made
                seen.add(found)
                yield found
