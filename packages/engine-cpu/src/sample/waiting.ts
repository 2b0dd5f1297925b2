// Who comes first: higher priority, then earlier request, then lower sequence. A heap that knows where each entry is, so that
// thousands may wait and any of them can leave at once.

export interface Ranked {
  readonly priority: number;
  /** Of arrival. */
  readonly order: number;
  /** Of the sequence in its request; of the next one to start, for a request. */
  readonly index: number;
  /** In the heap; -1 outside. Only the queue sets it. */
  place: number;
}

export function isBefore(a: Ranked, b: Ranked): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.order !== b.order ? a.order < b.order : a.index < b.index;
}

export class WaitingQueue<Entry extends Ranked> {
  readonly #heap: Entry[] = [];

  get first(): Entry | undefined {
    return this.#heap[0];
  }

  add(entry: Entry): void {
    this.#heap.push(entry);
    this.#rise(entry, this.#heap.length - 1);
  }

  /** Nothing happens to one that does not wait. */
  remove(entry: Entry): void {
    const { place } = entry;
    if (place < 0) return;
    entry.place = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#heap[place] = last;
    last.place = place;
    this.moved(last);
  }

  /** To be told when the rank of one that waits has changed. */
  moved(entry: Entry): void {
    this.#rise(entry, entry.place);
    this.#sink(entry, entry.place);
  }

  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }

  #rise(entry: Entry, from: number): void {
    let place = from;
    while (place > 0) {
      const parent = this.#heap[(place - 1) >> 1];
      if (parent === undefined || !isBefore(entry, parent)) break;
      this.#put(parent, place);
      place = (place - 1) >> 1;
    }
    this.#put(entry, place);
  }

  #sink(entry: Entry, from: number): void {
    let place = from;
    for (;;) {
      const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, entry)) break;
      const freed = child.place;
      this.#put(child, place);
      place = freed;
    }
    this.#put(entry, place);
  }
}
