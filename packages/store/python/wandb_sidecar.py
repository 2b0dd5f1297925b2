"""Hands the metrics of one run to Weights & Biases through its own client.

Reads JSON lines on standard input and answers each with one JSON line on standard output:

    {"type": "start", ...}             -> {"type": "started", "url": ...}
    {"type": "rows", "first": n, ...}  -> {"type": "logged"}
    {"type": "finish", "exitCode": n}  -> {"type": "finished"}

or with {"type": "error", "code": ..., "message": ...}, after which it ends. Needs nothing but `wandb`.
The key is taken by the client from the environment; it is never part of a message.
When standard input ends without "finish", whoever wrote it was killed: the run is closed as failed.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO


def private_stdout() -> TextIO:
    """The answers' channel. What anything else prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return channel


def answer(channel: TextIO, message: dict[str, Any]) -> None:
    try:
        channel.write(json.dumps(message) + "\n")
        channel.flush()
    except OSError:
        pass  # Nobody listens any more; what was received is still delivered.


def start(message: dict[str, Any]) -> Any:
    import wandb

    run = wandb.init(
        project=message["project"],
        entity=message.get("entity"),
        name=message.get("name"),
        group=message.get("group"),
        tags=message.get("tags"),
        id=message["id"],
        # An identifier of ours: the first time it makes the run, later it goes on with it.
        resume="allow",
        mode=message["mode"],
        dir=message["directory"],
        config=message["config"],
        # Whoever started this tries again; a person should not wait long to hear that nobody answers.
        settings=wandb.Settings(console="off", silent=True, init_timeout=30),
    )
    # Charts use the run's own steps: those of wandb only grow, ours go back to a checkpoint after a resume.
    run.define_metric("step")
    run.define_metric("*", step_metric="step")
    return run


def log(run: Any, message: dict[str, Any]) -> None:
    """Rows with a number that was logged before are dropped by wandb: that is how a repeat after a kill leaves no trace."""
    for offset, row in enumerate(message["rows"]):
        # Not-a-number and the infinities come as words, which JSON lacks numbers for.
        values = {name: float(value) if isinstance(value, str) else value for name, value in row.items()}
        # wandb keeps a row with a given number back until the next one, unless told that it is whole.
        run.log(values, step=message["first"] + offset, commit=True)


def error_code(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == "wandb":
        return "missing"
    name = type(error).__name__
    if name in ("UsageError", "AuthenticationError", "TypeError", "ValueError", "ImportError"):
        return "usage"
    return "away"


def main() -> int:
    channel = private_stdout()
    run: Any = None
    try:
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "start":
                run = start(message)
                url = run.url if message["mode"] == "online" else None
                answer(channel, {"type": "started", "url": url})
            elif message["type"] == "rows":
                log(run, message)
                answer(channel, {"type": "logged"})
            elif message["type"] == "finish":
                run.finish(exit_code=message["exitCode"])
                answer(channel, {"type": "finished"})
                return 0
        if run is not None:
            run.finish(exit_code=1)
        return 0
    except Exception as error:  # noqa: BLE001, whatever it is becomes an answer
        answer(channel, {"type": "error", "code": error_code(error), "message": str(error) or type(error).__name__})
        return 1


if __name__ == "__main__":
    sys.exit(main())
