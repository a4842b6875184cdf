"""A vision-language model of some thousand random weights, as released ones lie in a folder.

Its tokens are bytes and whole answers; all but the answers and the end are suppressed in its generation_config.json, so
it wanders, and now and then gives two answers at once. Needs torch and transformers, which the tests do not.

    python tiny_vision_model.py FOLDER
"""

from __future__ import annotations

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessor,
    Qwen2VLProcessor,
    Qwen2VLVideoProcessor,
)

SPECIAL = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>",
]  # fmt: skip
TEMPLATE = """{% for message in messages %}<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}\
{% if part.type in ("image", "image_url") %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}\
{% endif %}{% endfor %}{% endif %}<|im_end|>
{% endfor %}<|im_start|>assistant
"""


ANSWERS = [f'{{"action": {number}}}' for number in range(4)]


def main(folder: str) -> None:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    spelled = [answer.replace(" ", "Ġ") for answer in ANSWERS]  # as the bytes' alphabet writes a space
    vocabulary = {token: number for number, token in enumerate([*letters, *spelled, *SPECIAL])}
    text = Tokenizer(models.BPE(vocabulary, []))
    text.pre_tokenizer, text.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=text, eos_token="<|im_end|>", pad_token="<|endoftext|>", additional_special_tokens=SPECIAL
    )
    tokenizer.chat_template = TEMPLATE
    for name in ("image", "video"):
        setattr(tokenizer, f"{name}_token", f"<|{name}_pad|>")
        setattr(tokenizer, f"{name}_token_id", vocabulary[f"<|{name}_pad|>"])
    config = Qwen2VLConfig(
        text_config={
            "vocab_size": len(vocabulary), "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 32768, "bos_token_id": None,
            "eos_token_id": vocabulary["<|im_end|>"],
            "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 2]},
        },
        vision_config={"depth": 1, "embed_dim": 32, "hidden_size": 32, "num_heads": 4, "mlp_ratio": 1},
        image_token_id=vocabulary["<|image_pad|>"], video_token_id=vocabulary["<|video_pad|>"],
        vision_start_token_id=vocabulary["<|vision_start|>"], vision_end_token_id=vocabulary["<|vision_end|>"],
    )  # fmt: skip
    torch.manual_seed(0)
    model = Qwen2VLForConditionalGeneration(config)
    said = {*(vocabulary[answer] for answer in spelled), vocabulary["<|im_end|>"]}
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=1.0, eos_token_id=vocabulary["<|im_end|>"],
        pad_token_id=vocabulary["<|endoftext|>"],
        suppress_tokens=[number for number in vocabulary.values() if number not in said],
        begin_suppress_tokens=[vocabulary["<|im_end|>"]],
    )  # fmt: skip
    model.save_pretrained(folder)
    pictures = Qwen2VLImageProcessor(min_pixels=28 * 28, max_pixels=112 * 112)
    films = Qwen2VLVideoProcessor(min_pixels=28 * 28, max_pixels=112 * 112)
    Qwen2VLProcessor(pictures, tokenizer, films, chat_template=TEMPLATE).save_pretrained(folder)


main(sys.argv[1])
