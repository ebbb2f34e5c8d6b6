"""The pages: files that `make frontend` built.

Every address that is neither a file nor the API gets the same HTML file.
"""

from __future__ import annotations

import mimetypes
from functools import lru_cache

from fastapi import FastAPI, Request
from starlette.responses import Response

from polyclinic.core.files import package_file

FOLDER = "static"
_FOREVER = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".webmanifest": "application/json"}


@lru_cache(maxsize=128)
def built_file(path: str) -> bytes | None:
    """A built file by its path in the folder; None if there is none."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\\" in part for part in parts):
        return None
    found = package_file("polyclinic.web", f"{FOLDER}/{path}")
    return found.read_bytes() if found.is_file() else None


def serve_pages(app: FastAPI) -> None:
    """Add the route that answers every address that no other route handles."""

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str, request: Request) -> Response:
        if path.startswith("api/"):
            return Response('{"detail":"not found"}', 404, media_type="application/json")
        found = built_file(path) if "." in path.rpartition("/")[2] else None
        if found is None:
            whole = built_file("index.html")
            return Response(whole or b"the pages are not built: make frontend", media_type="text/html")
        ending = "." + path.rpartition(".")[2]
        kind = _TYPES.get(ending) or mimetypes.guess_type(path)[0] or "application/octet-stream"
        kept = {"Cache-Control": _FOREVER} if path.startswith("assets/") else {}
        return Response(found, media_type=kind, headers=kept)
