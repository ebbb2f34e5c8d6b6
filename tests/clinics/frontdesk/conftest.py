"""Makes the oracle beside this file importable, whatever pytest's import mode."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

_PATH = Path(__file__).with_name("frontdesk_oracle.py")
_SPEC = importlib.util.spec_from_file_location("frontdesk_oracle", _PATH)
assert _SPEC is not None and _SPEC.loader is not None
_MODULE = importlib.util.module_from_spec(_SPEC)
sys.modules["frontdesk_oracle"] = _MODULE
_SPEC.loader.exec_module(_MODULE)
