"""A tiny random model with a tokenizer made from the rows that it learns, so that a CPU trains it in seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = 1200


def _tokenizer(rows: Sequence[dict[str, Any]], *more: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    texts = [
        part["text"] or "" for row in rows for turn in (*row["prompt"], *row["completion"]) for part in turn["content"]
    ]
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=WORDS,
        special_tokens=["<|im_start|>", "<|im_end|>", "<|pad|>", *more],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    inner.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=inner, eos_token="<|im_end|>", pad_token="<|pad|>", additional_special_tokens=list(more)
    )


def _words(tokenizer: Any) -> Any:
    from transformers import Qwen2Config

    return Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
    )


def write_tiny(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """A model with two small layers, and a byte-level tokenizer."""
    import torch
    from transformers import Qwen2ForCausalLM

    tokenizer = _tokenizer(rows)
    torch.manual_seed(0)
    Qwen2ForCausalLM(_words(tokenizer)).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


_SEES = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% for c in m['content'] %}"
    "{% if c['type'] == 'image' %}<image>{% else %}{{ c['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tiny_that_sees(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """A vision-language model of the LLaVA kind with a processor, equally small."""
    import torch
    from transformers import (
        CLIPImageProcessorPil,
        CLIPVisionConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    tokenizer = _tokenizer(rows, "<image>")
    eyes = CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=28, patch_size=14
    )
    place = tokenizer.convert_tokens_to_ids("<image>")
    torch.manual_seed(0)
    config = LlavaConfig(vision_config=eyes, text_config=_words(tokenizer), image_token_index=place)
    LlavaForConditionalGeneration(config).save_pretrained(str(folder))
    LlavaProcessor(
        image_processor=CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=_SEES,
    ).save_pretrained(str(folder))
    return folder
