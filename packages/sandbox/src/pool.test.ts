import type { Sandbox, SandboxLease, SandboxProvider, SandboxSpec } from "@hone/core";
import { describe, expect, test } from "vitest";
import { pool } from "./pool.ts";

const never = new AbortController().signal;

/** A provider of sandboxes in memory that notes what happens to them. */
class Notebook implements SandboxProvider {
  readonly name = "notebook";
  readonly specs: SandboxSpec[] = [];
  readonly dead = new Set<number>();
  open_ = 0;
  most = 0;
  fails = false;
  gate: Promise<void> = Promise.resolve();

  async open(spec: SandboxSpec, { signal }: { readonly signal: AbortSignal }): Promise<SandboxLease> {
    this.most = Math.max(this.most, ++this.open_);
    const number = this.specs.push(spec) - 1;
    await this.gate;
    if (this.fails || signal.aborted) {
      this.open_--;
      throw signal.aborted ? signal.reason : new Error("no sandbox today");
    }
    const files = new Map(Object.entries(spec.files ?? {}));
    const sandbox = {
      list: () => (this.dead.has(number) ? Promise.reject(new Error("dead")) : Promise.resolve([...files.keys()])),
      write: (path: string, content: string) => Promise.resolve(void files.set(path, content)),
      read: () => Promise.resolve(Uint8Array.of(number)),
    } as unknown as Sandbox;
    return {
      sandbox,
      [Symbol.asyncDispose]: async () => {
        await Promise.resolve();
        this.open_--;
      },
    };
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const numberOf = async ({ sandbox }: SandboxLease): Promise<number> => (await sandbox.read("x"))[0] ?? -1;

describe("a pool", () => {
  test("never has more open than its number, and serves in the order of asking", async () => {
    const provider = new Notebook();
    await using boxes = pool(provider, { maxOpen: 2 });
    const order: number[] = [];
    const use = async (index: number): Promise<void> => {
      const lease = await boxes.open({ diskMb: index + 1 }, { signal: never });
      order.push(index);
      await settled();
      await lease[Symbol.asyncDispose]();
    };
    await Promise.all(Array.from({ length: 9 }, (_, index) => use(index)));
    expect(provider.most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(provider.open_).toBe(0);
  });

  test("has ready ones of its kind, fills up again, and writes the files when one is taken", async () => {
    const provider = new Notebook();
    await using boxes = pool(provider, { maxOpen: 5, prewarm: { count: 2, spec: { memoryMb: 64 } } });
    await settled();
    expect(provider.specs).toEqual([{ memoryMb: 64 }, { memoryMb: 64 }]);
    const lease = await boxes.open({ files: { a: "1" }, memoryMb: 64 }, { signal: never });
    expect([await numberOf(lease), await lease.sandbox.list(".")]).toEqual([0, ["a"]]);
    await settled();
    expect(provider.specs.length).toBe(3);
    const other = await boxes.open({ memoryMb: 65 }, { signal: never });
    expect(await numberOf(other)).toBe(3);
  });

  test("a ready one makes way for a spec of another kind", async () => {
    const provider = new Notebook();
    await using boxes = pool(provider, { maxOpen: 1, prewarm: { count: 1, spec: {} } });
    await settled();
    const lease = await boxes.open({ memoryMb: 1 }, { signal: never });
    expect(provider.specs.at(-1)).toEqual({ memoryMb: 1 });
    expect(provider.most).toBe(1);
    await lease[Symbol.asyncDispose]();
  });

  test("who asks while the only place is being warmed gets that one, whatever it asks for", async () => {
    for (const spec of [{}, { memoryMb: 1 }]) {
      const provider = new Notebook();
      let open = (): void => undefined;
      provider.gate = new Promise((resolve) => (open = resolve));
      await using boxes = pool(provider, { maxOpen: 1, prewarm: { count: 1, spec: {} } });
      const waiting = boxes.open(spec, { signal: never });
      await settled();
      open();
      const lease = await waiting;
      expect(provider.specs.at(-1)).toEqual(spec);
      await lease[Symbol.asyncDispose]();
    }
  });

  test("a ready one that died meanwhile is replaced", async () => {
    const provider = new Notebook();
    await using boxes = pool(provider, { maxOpen: 1, prewarm: { count: 1, spec: {} } });
    await settled();
    provider.dead.add(0);
    const lease = await boxes.open({}, { signal: never });
    expect([await numberOf(lease), provider.open_]).toEqual([1, 1]);
  });

  test("waiting can be called off, and the place goes to the next", async () => {
    const provider = new Notebook();
    await using boxes = pool(provider, { maxOpen: 1 });
    const first = await boxes.open({}, { signal: never });
    const controller = new AbortController();
    const given_up = boxes.open({}, { signal: controller.signal });
    const next = boxes.open({}, { signal: never });
    controller.abort(new Error("enough"));
    await expect(given_up).rejects.toThrow("enough");
    await first[Symbol.asyncDispose]();
    await (await next)[Symbol.asyncDispose]();
    expect(provider.open_).toBe(0);
  });

  test("a failure to open is told, and its place is free again", async () => {
    const provider = new Notebook();
    provider.fails = true;
    await using boxes = pool(provider, { maxOpen: 1, prewarm: { count: 1, spec: {} } });
    await settled();
    await expect(boxes.open({}, { signal: never })).rejects.toThrow("no sandbox today");
    provider.fails = false;
    await boxes.open({}, { signal: never });
    expect(provider.open_).toBe(1);
  });

  test("giving back twice frees one place", async () => {
    const provider = new Notebook();
    await using boxes = pool(provider, { maxOpen: 1 });
    const lease = await boxes.open({}, { signal: never });
    await Promise.all([lease[Symbol.asyncDispose](), lease[Symbol.asyncDispose]()]);
    await boxes.open({}, { signal: never });
    const waiting = boxes.open({}, { signal: never });
    await settled();
    expect(provider.most).toBe(1);
    void waiting.catch(() => undefined);
  });

  test("closing it closes what is ready, in use and being opened, and turns away who waits", async () => {
    const provider = new Notebook();
    const boxes = pool(provider, { maxOpen: 4, prewarm: { count: 1, spec: {} } });
    await settled();
    await boxes.open({}, { signal: never });
    await boxes.open({ memoryMb: 1 }, { signal: never });
    await settled();
    let open = (): void => undefined;
    provider.gate = new Promise((resolve) => (open = resolve));
    const opening = boxes.open({ memoryMb: 2 }, { signal: never });
    const waiting = boxes.open({ memoryMb: 3 }, { signal: never });
    const closing = boxes[Symbol.asyncDispose]();
    open();
    await expect(opening).rejects.toThrow("closed");
    await expect(waiting).rejects.toThrow("closed");
    await closing;
    expect(provider.open_).toBe(0);
    await expect(boxes.open({}, { signal: never })).rejects.toThrow("closed");
  });

  test("a pool for nothing is refused", () => {
    expect(() => pool(new Notebook(), { maxOpen: 0 })).toThrow("maxOpen");
  });
});
