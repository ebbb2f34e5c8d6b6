"""A folder of trained weights: opened with transformers, with an adapter merged into its base, and its chat template.

Imported only when such a model is asked for: transformers and torch are large and optional.

For a vision-language model, a chat is split into its text and its pictures, as its processor takes them.
"""

from __future__ import annotations

import base64
import importlib.util
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyclinic.core.extras import install_hint
from polyclinic.core.files import bad_file, read_data
from polyclinic.errors import ConfigError

Chat = list[dict[str, Any]]


def seen_chat(messages: Sequence[dict[str, Any]]) -> tuple[Chat, list[Any]]:
    """A chat in OpenAI's form without its pictures, and the pictures in order. Their places stay in the text."""
    pictures: list[Any] = []
    chat = [{**message, "content": [_part(part, pictures) for part in _parts(message)]} for message in messages]
    return chat, pictures


def picture_of(source: Path | bytes) -> Any:
    """A picture from a file or its bytes, as processors take it."""
    from PIL import Image

    with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source) as opened:
        return opened.convert("RGB")


def _parts(message: dict[str, Any]) -> Chat:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _part(part: dict[str, Any], pictures: list[Any]) -> dict[str, Any]:
    if part["type"] != "image_url":
        return part
    _, _, data = part["image_url"]["url"].partition(",")
    pictures.append(picture_of(base64.b64decode(data)))
    return {"type": "image"}


TRAIN = ("torch", "transformers", "trl", "peft", "datasets", "accelerate")
ADAPTER = "adapter_config.json"
_PLAIN_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def need(packages: Sequence[str], what: str) -> None:
    """If a package of the extra `train` is missing, raise an error with the command that installs it."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(f"{what} needs {', '.join(missing)}, which are not installed: {install_hint('train')}")


def weights_folder(path: str) -> Path:
    """The folder with the weights: the named folder, or the result in a named training run."""
    folder = Path(path).expanduser()
    for found in (folder, folder / "model"):
        if (found / "config.json").is_file() or (found / ADAPTER).is_file():
            return found
    what, fix = f"this folder has no config.json and no {ADAPTER}", "name a folder of weights or a GGUF file"
    raise bad_file(path, what, fix=fix, error=ConfigError)


@dataclass(frozen=True)
class ModelWeights:
    """A model with its tokenizer. `processor` is there for models that take pictures."""

    model: Any
    tokenizer: Any
    processor: Any = None

    @property
    def sees(self) -> bool:
        """Whether it takes pictures."""
        return self.processor is not None


def is_vision(folder: Path) -> bool:
    """Whether the folder holds the weights of a vision-language model."""
    return "vision_config" in read_data(folder / "config.json")


def base_of(folder: Path) -> Path:
    """The folder of the base of an adapter; the folder itself for whole weights."""
    if not (folder / ADAPTER).is_file():
        return folder
    return base_of(_named_base(folder))


def open_weights(path: str, *, dtype: str = "auto", device: str = "", text_only: bool = False) -> ModelWeights:
    """Load the model of a folder, ready to use. An adapter is merged into its base, so that the result is one model."""
    need(("torch", "transformers"), "a local model")
    import torch
    import transformers

    folder = weights_folder(path)
    base, seen = base_of(folder), not text_only and is_vision(base_of(folder))
    kind = transformers.AutoModelForImageTextToText if seen else transformers.AutoModelForCausalLM
    wanted = {"bf16": torch.bfloat16, "fp32": torch.float32}.get(dtype, "auto")
    try:
        model = kind.from_pretrained(str(base), dtype=wanted)
        processor: Any = transformers.AutoProcessor.from_pretrained(str(base)) if seen else None
        tokenizer = processor.tokenizer if seen else transformers.AutoTokenizer.from_pretrained(str(base))
    except (OSError, ValueError) as error:
        raise bad_file(base, f"the model cannot be loaded: {str(error)[:300]}", error=ConfigError) from None
    for adapter in _adapters(folder):
        need(("peft",), "an adapter")
        import peft

        # peft froze the base. After merging it is one whole model that can be trained like any other.
        model = peft.PeftModel.from_pretrained(model, str(adapter)).merge_and_unload().requires_grad_(True)
    # An adapter that is trained on top of this model names it as its base: it must be this folder, not the first base.
    model.name_or_path = model.config._name_or_path = str(folder.resolve())
    if tokenizer.chat_template is None:
        tokenizer.chat_template = _PLAIN_TEMPLATE
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    return ModelWeights(model.to(device), tokenizer, processor)


def _adapters(folder: Path) -> list[Path]:
    """The adapters between a folder and its base, the innermost first."""
    if not (folder / ADAPTER).is_file():
        return []
    return [*_adapters(_named_base(folder)), folder]


def _named_base(folder: Path) -> Path:
    """The folder that an adapter names as its base."""
    return weights_folder(read_data(folder / ADAPTER).get("base_model_name_or_path") or "")
