// Random schedules: arrivals, cancels, priorities, tiny pools of pages, policies that change meanwhile. Every sequence must be what
// sampling it alone gives, and nothing may be lost, reported twice or left behind.
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { loadKernels } from "../kernel/load.ts";
import { policyOf } from "./testing/paged-model.ts";
import { versionsOf } from "./testing/plain-loop.ts";
import { createRig, type SamplerRig, type Ticket } from "./testing/rig.ts";

const { kernels } = loadKernels({ threads: 1 });
afterAll(() => kernels.close());

const vocabulary = 30;
/** Few different beginnings, so that requests meet in the cache. */
const prompt = fc
  .record({ start: fc.integer({ min: 0, max: 2 }), length: fc.integer({ min: 1, max: 14 }) })
  .map(({ start, length }) => Int32Array.from({ length }, (_, index) => (start + index * 3) % vocabulary));
const asked = fc.record(
  {
    prompt,
    count: fc.integer({ min: 1, max: 5 }),
    priority: fc.integer({ min: -1, max: 1 }),
    policy: fc.constantFrom("latest" as const, "latest" as const, { version: 0 }),
    maxTokens: fc.integer({ min: 1, max: 12 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    seed: fc.integer(),
    stopTokens: fc.array(fc.integer({ min: 0, max: vocabulary - 1 }), { maxLength: 2 }),
    topK: fc.integer({ min: 1, max: 10 }),
    topP: fc.constantFrom(0.3, 0.9),
    stopStrings: fc.array(fc.constantFrom("a", "bc", "👍"), { maxLength: 2 }),
  },
  { requiredKeys: ["prompt", "count", "maxTokens", "seed"] },
);
const move = fc.oneof(
  { weight: 4, arbitrary: asked.map((request) => ({ kind: "ask" as const, request })) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }).map((count) => ({ kind: "step" as const, count })) },
  { weight: 1, arbitrary: fc.nat().map((which) => ({ kind: "cancel" as const, which })) },
  { weight: 1, arbitrary: fc.constant({ kind: "swap" as const }) },
);
const shape = fc
  .record({
    pageTokens: fc.integer({ min: 1, max: 5 }),
    capacity: fc.integer({ min: 1, max: 6 }),
    extraTokens: fc.integer({ min: 0, max: 12 }),
    extraPages: fc.constantFrom(0, 0, 1, 3, 20),
  })
  .map(({ pageTokens, capacity, extraTokens, extraPages }) => ({
    pageTokens,
    capacity,
    stepTokens: capacity + extraTokens,
    // Just enough for the longest sequence, or a little more.
    pages: Math.ceil(25 / pageTokens) + extraPages,
    contextTokens: 26,
    vocabulary,
  }));

function checkTicket(rig: SamplerRig, ticket: Ticket): void {
  expect(rig.mismatches(ticket)).toEqual([]);
  for (const sequence of ticket.sequences()) {
    const versions = versionsOf(sequence);
    expect(versions.every((version, at) => version >= (versions[at - 1] ?? 0))).toBe(true);
  }
  // The policy is asked for before every step: the token that ended the request is of the one that was the latest then.
  const last = Math.max(...ticket.sequences().flatMap(versionsOf));
  expect(last).toBe(ticket.request.policy === "latest" ? ticket.versionWhenDone() : 0);
}

test("whatever comes, goes and changes meanwhile, every sequence is what sampling it alone gives", () => {
  const property = fc.property(shape, fc.array(move, { minLength: 1, maxLength: 25 }), (shape, moves) => {
    const rig = createRig({ kernels, ...shape });
    const tickets: Ticket[] = [];
    const cancelled = new Set<Ticket>();
    for (const move of moves) {
      if (move.kind === "ask") tickets.push(rig.ask(move.request));
      if (move.kind === "step") for (let count = 0; count < move.count; count++) rig.sampler.step();
      if (move.kind === "swap") rig.swap(policyOf(rig.latest().version + 1));
      const ticket = move.kind === "cancel" ? tickets[move.which % tickets.length] : undefined;
      if (ticket !== undefined && ticket.timesDone() === 0) {
        rig.sampler.cancel(ticket.handle);
        cancelled.add(ticket);
      }
    }
    rig.finish();
    expect(rig.sampler.load()).toEqual({ running: 0, queued: 0, capacity: shape.capacity });
    for (const ticket of tickets) {
      if (cancelled.has(ticket)) expect(ticket.timesDone()).toBe(0);
      else checkTicket(rig, ticket);
    }
    expect(rig.model.mostRowsInCall()).toBeLessThanOrEqual(shape.stepTokens);
    // Every page can be had again: nothing holds one that nobody uses.
    const all = rig.ask({ prompt: Int32Array.of(29, 28), maxTokens: 30, temperature: 0, seed: 4 });
    rig.finish();
    checkTicket(rig, all);
  });
  fc.assert(property, { numRuns: 150, seed: 7 });
});
