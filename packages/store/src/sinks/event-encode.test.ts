import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeEvents } from "./testing/decode-events.ts";
import { encodeRestart, encodeScalars, encodeVersion } from "./event-encode.ts";

const float = fc.float();
const metrics = fc.dictionary(fc.string({ minLength: 1, unit: "binary" }), float, { maxKeys: 20 });
const isNamed = (values: Readonly<Record<string, number>>): boolean => !Object.hasOwn(values, "__proto__");

test("what is written is read back", () => {
  const steps = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(steps, metrics.filter(isNamed), (step, values) => {
      const [event] = decodeEvents(encodeScalars({ wallTimeMs: 1_500, step, metrics: values }));
      expect(event).toEqual({ wallTime: 1.5, step, isRestart: false, scalars: { ...values } });
    }),
  );
});

test("a file says its version, a restart says its step", () => {
  const events = decodeEvents(Buffer.concat([encodeVersion(2000), encodeRestart(3000, 300)]));
  expect(events).toEqual([
    { wallTime: 2, step: 0, version: "brain.Event:2", isRestart: false, scalars: {} },
    { wallTime: 3, step: 300, isRestart: true, scalars: {} },
  ]);
});

test("one scalar, byte for byte as TensorFlow writes it", () => {
  const bytes = encodeScalars({ wallTimeMs: 1000, step: 3, metrics: { loss: 0.5 } });
  const content = "09000000000000f03f10032a0d0a0b0a046c6f7373150000003f";
  expect(bytes.subarray(0, 8).toString("hex")).toBe("1a00000000000000");
  expect(bytes.subarray(12, -4).toString("hex")).toBe(content);
});
