"""Clinical pictures drawn from numbers by our own code: ECG strips, audiograms, flow-volume loops, trends, CTGs,
fields.

A picture is described by a small JSON source (what a machine would have measured). The same source gives the same
bytes on every computer, because the raster, the font and the PNG compressor are all in this folder.
"""

from __future__ import annotations

from tools.drawing.pictures import KINDS, draw

__all__ = ["KINDS", "draw"]
