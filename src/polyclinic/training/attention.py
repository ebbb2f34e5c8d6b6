"""Choose which of PyTorch's kernels computes attention during training."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cudnn_attention(on: bool) -> Iterator[None]:
    """Allow or forbid cuDNN's kernel on a GPU, and restore the setting afterwards.

    With a mask, this kernel's gradient is NaN for sequences that are 64 tokens longer than a multiple of 128. This is
    issue 196678 of pytorch/pytorch (PyTorch 2.11 and later on H100 and H200). So a model is trained without this
    kernel. Sampling needs no gradient and may use it.
    """
    from torch.backends import cuda

    before = cuda.cudnn_sdp_enabled()
    cuda.enable_cudnn_sdp(on)
    try:
        yield
    finally:
        cuda.enable_cudnn_sdp(before)
