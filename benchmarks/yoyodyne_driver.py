"""Measures Yoyodyne; run with the Python of its own environment, prints one JSON object.

Its models, dataset, collator and training step are used unchanged, but without Lightning's trainer
around them: a bare loop is faster, and the comparison should be with the best that Yoyodyne can do.
Features are encoded as its manual recommends for recurrent networks, by a linear encoder of twice
the hidden size.

Decoding: an untrained network would run to the length limit, and training one would take longer
than the benchmark. So the end symbol is disabled, and each batch is decoded for as many steps as
its longest form has symbols, plus one for the end: exactly the steps of a perfect network.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import time
import warnings
from pathlib import Path
from typing import Any

import lightning
import torch
from torch.utils.data import DataLoader
from yoyodyne import data, models, special
from yoyodyne.data import datasets, mappers
from yoyodyne.models import modules

MODELS = {"hard": models.HardAttentionLSTMModel, "soft": models.SoftAttentionLSTMModel}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=("training", "decoding"))
    parser.add_argument("attention", choices=MODELS)
    parser.add_argument("--train", required=True)
    parser.add_argument("--words", required=True, help="lemma, features, form to decode")
    parser.add_argument("--cache", required=True)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--warm-up", type=int, default=10)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--embedding", type=int, default=100)
    parser.add_argument("--hidden", type=int, default=100)
    parser.add_argument("--layers", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    warnings.filterwarnings("ignore")
    module = data.DataModule(
        model_dir=arguments.cache,
        train=arguments.train,
        features_col=2,
        target_col=3,
        features_sep=",",
        batch_size=arguments.batch,
    )
    model = build(module, arguments)
    measure = training if arguments.task == "training" else decoding
    print(json.dumps(measure(module, model, arguments)))


def build(module: data.DataModule, sizes: argparse.Namespace) -> models.BaseModel:
    common = {"embedding_size": sizes.embedding, "dropout": 0.0}
    return MODELS[sizes.attention](
        source_encoder=modules.LSTMEncoder(hidden_size=sizes.hidden, layers=sizes.layers, **common),
        features_encoder=modules.LinearEncoder(output_size=2 * sizes.hidden, **common),
        embedding_size=sizes.embedding,
        decoder_hidden_size=sizes.hidden,
        decoder_layers=sizes.layers,
        decoder_dropout=0.0,
        compute_accuracy=False,
        target_vocab_size=module.target_vocab_size,
        vocab_size=module.vocab_size,
    )


def training(
    module: data.DataModule, model: models.BaseModel, arguments: argparse.Namespace
) -> dict[str, Any]:
    # Its own loader, but in this process: a worker would use a second core.
    loader = DataLoader(
        datasets.MappableDataset(arguments.train, mappers.Mapper(module.index), module.parser),
        collate_fn=module.collator,
        batch_size=arguments.batch,
        shuffle=True,
    )
    [optimiser], _ = model.configure_optimizers()
    model.train()
    n_examples, start = 0, 0.0
    for step, batch in enumerate(loader):
        if step == arguments.warm_up:
            n_examples, start = 0, time.perf_counter()
        if step == arguments.warm_up + arguments.steps:
            break
        optimiser.zero_grad()
        model.training_step(batch, step).backward()
        optimiser.step()
        n_examples += len(batch)
    return {"examples/s": n_examples / (time.perf_counter() - start)}


def decoding(
    module: data.DataModule, model: models.BaseModel, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Words/s at the best of several batch sizes, and milliseconds for one word."""
    model.eval()
    model.trainer = lightning.Trainer(
        accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False
    )
    with torch.no_grad():
        model.classifier.bias[special.END_IDX] = -1e9
    # In file order, as its own loader reads them.
    with Path(arguments.words).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    mapper = mappers.Mapper(module.index)

    def decode(some: list[list[str]]) -> float:
        start = time.perf_counter()
        batch = module.collator(
            [
                datasets.Item(
                    mapper.encode_source(module.parser.source_symbols(lemma)),
                    features=mapper.encode_features(module.parser.features_symbols(features)),
                    target=mapper.encode_target(module.parser.target_symbols(form)),
                )
                for lemma, features, form in some
            ]
        )
        model.max_target_length = max(len(form) for _, _, form in some) + 1
        predictions = model.predict_step(batch, 0)
        assert predictions.shape == (len(some), model.max_target_length)
        return time.perf_counter() - start

    with torch.inference_mode():
        decode(rows[:16])
        rates = {
            size: len(rows) / sum(decode(rows[k : k + size]) for k in range(0, len(rows), size))
            for size in (16, 64, 256)
        }
        single = [decode([row]) for row in rows[:: max(1, len(rows) // 50)]]
    best = max(rates, key=rates.__getitem__)
    return {
        "words/s": rates[best],
        "ms a word": 1000 * statistics.median(single),
        "batch size": best,
    }


if __name__ == "__main__":
    main()
