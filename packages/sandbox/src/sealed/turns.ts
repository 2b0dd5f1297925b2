// One at a time, in the order of asking; who waits too long, or is called off, gives up its place.

export interface Turn {
  end(): void;
}

export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** A turn if nobody has one. */
  takeNow(): Turn | undefined {
    if (this.#isTaken) return undefined;
    this.#isTaken = true;
    return this.#turn();
  }

  /** Undefined when it did not come within the time, or was called off. */
  async take(timeoutMs: number, signal: AbortSignal): Promise<Turn | undefined> {
    const now = this.takeNow();
    if (now !== undefined) return now;
    return new Promise((resolve) => {
      const settle = (turn: Turn | undefined): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        resolve(turn);
      };
      const begin = (): void => settle(this.#turn());
      const giveUp = (): void => {
        const place = this.#waiting.indexOf(begin);
        if (place >= 0) this.#waiting.splice(place, 1);
        settle(undefined);
      };
      const timer = setTimeout(giveUp, timeoutMs);
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(begin);
      if (signal.aborted) giveUp();
    });
  }

  #turn(): Turn {
    let isOver = false;
    return {
      end: () => {
        if (isOver) return;
        isOver = true;
        const next = this.#waiting.shift();
        if (next === undefined) this.#isTaken = false;
        else next();
      },
    };
  }
}
