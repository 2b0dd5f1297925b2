"""PyTorch's side of bench/engine-cpu: the same decoder in plain torch, one round per line on stdin, a JSON line in answer.

Everything eager, with what PyTorch does best on a processor: scaled_dot_product_attention, rms_norm, fused AdamW.
"""

import json
import math
import os
import sys
import time

request = json.loads(sys.argv[1])
os.environ["OPENBLAS_NUM_THREADS"] = str(request["threads"])


def resident(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))


def serve(round_, before, **info):
    print(json.dumps({"ready": True, **info}), flush=True)
    for line in sys.stdin:
        if line.strip() == "end":
            break
        started = time.perf_counter()
        prepared = round_()
        ms = (time.perf_counter() - (prepared or started)) * 1000
        print(json.dumps({"ms": ms, "peakBytes": resident("VmHWM") - before}), flush=True)


if request["kind"] == "matmul":
    import numpy

    rows, inputs, outputs = request["shape"]
    a = numpy.sin(numpy.arange(rows * inputs, dtype=numpy.float32)).reshape(rows, inputs)
    b = numpy.sin(numpy.arange(outputs * inputs, dtype=numpy.float32)).reshape(outputs, inputs)
    out = numpy.empty((rows, outputs), dtype=numpy.float32)

    def multiply():
        for _ in range(20):
            numpy.matmul(a, b.T, out=out)

    serve(multiply, 0, version=numpy.__version__)
    sys.exit()

import torch
import torch.nn.functional as F

torch.set_num_threads(request["threads"])
torch.manual_seed(0)
model, config = request["model"], request["model"]["config"]
WIDTH, HEADS, KEY_HEADS = config["hidden_size"], config["num_attention_heads"], config["num_key_value_heads"]
HEAD, LAYERS, CONTEXT = WIDTH // HEADS, config["num_hidden_layers"], config["max_position_embeddings"]
before = resident("VmRSS")


def parameter(*shape):
    return torch.nn.Parameter(torch.randn(*shape) * 0.02)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.Parameter(torch.ones(WIDTH)), torch.nn.Parameter(torch.ones(WIDTH))
        self.query, self.key, self.value = parameter(WIDTH, WIDTH), parameter(KEY_HEADS * HEAD, WIDTH), parameter(KEY_HEADS * HEAD, WIDTH)
        self.output = parameter(WIDTH, WIDTH)
        self.gate, self.up = parameter(config["intermediate_size"], WIDTH), parameter(config["intermediate_size"], WIDTH)
        self.down = parameter(WIDTH, config["intermediate_size"])

    def forward(self, x, cosine, sine, cache=None, start=0):
        batch, length, _ = x.shape
        h = F.rms_norm(x, (WIDTH,), self.norm1, 1e-6)
        q = F.linear(h, self.query).view(batch, length, HEADS, HEAD).transpose(1, 2)
        k = F.linear(h, self.key).view(batch, length, KEY_HEADS, HEAD).transpose(1, 2)
        v = F.linear(h, self.value).view(batch, length, KEY_HEADS, HEAD).transpose(1, 2)
        q, k = rotate(q, cosine, sine), rotate(k, cosine, sine)
        if cache is not None:
            cache[0][:, :, start:start + length], cache[1][:, :, start:start + length] = k, v
            k, v = cache[0][:, :, :start + length], cache[1][:, :, :start + length]
        a = F.scaled_dot_product_attention(q, k, v, is_causal=length > 1, enable_gqa=HEADS != KEY_HEADS)
        x = x + F.linear(a.transpose(1, 2).reshape(batch, length, WIDTH), self.output)
        h = F.rms_norm(x, (WIDTH,), self.norm2, 1e-6)
        return x + F.linear(F.silu(F.linear(h, self.gate)) * F.linear(h, self.up), self.down)


def rotate(x, cosine, sine):
    half = x.shape[-1] // 2
    return x * cosine + torch.cat((-x[..., half:], x[..., :half]), -1) * sine


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.norm = parameter(config["vocab_size"], WIDTH), torch.nn.Parameter(torch.ones(WIDTH))
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        frequency = 10000.0 ** (-torch.arange(0, HEAD, 2) / HEAD)
        angle = torch.arange(CONTEXT)[:, None] * torch.cat((frequency, frequency))
        self.cosine, self.sine = angle.cos(), angle.sin()

    def forward(self, ids, caches=None, start=0):
        x = F.embedding(ids, self.embedding)
        cosine, sine = self.cosine[start:start + ids.shape[1]], self.sine[start:start + ids.shape[1]]
        for index, layer in enumerate(self.layers):
            x = layer(x, cosine, sine, None if caches is None else caches[index], start)
        return F.rms_norm(x if caches is None else x[:, -1:], (WIDTH,), self.norm, 1e-6)


decoder = Decoder()
if request["kind"] == "full":
    optimizer = torch.optim.AdamW(decoder.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.01, fused=True)
    ids = torch.randint(config["vocab_size"], (model["sequences"], model["tokens"]))

    def round_():
        logits = F.linear(decoder(ids)[:, :-1], decoder.embedding)
        F.cross_entropy(logits.reshape(-1, config["vocab_size"]), ids[:, 1:].reshape(-1)).backward()
        torch.nn.utils.clip_grad_norm_(decoder.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
else:
    count, prompt, new = request["decode"]

    @torch.inference_mode()
    def round_():
        ids = torch.randint(config["vocab_size"], (count, prompt))
        caches = [[torch.zeros(count, KEY_HEADS, prompt + new, HEAD) for _ in range(2)] for _ in range(LAYERS)]
        token = sample(decoder(ids, caches, 0))
        prepared = time.perf_counter()
        for at in range(prompt, prompt + new - 1):
            token = sample(decoder(token, caches, at))
        return prepared

    def sample(hidden):
        return torch.multinomial(torch.softmax(F.linear(hidden[:, -1], decoder.embedding), -1), 1)


serve(round_, before, version=torch.__version__)
