import { describe, expect, test } from "vitest";
import { seccompProgram } from "./seccomp.ts";
import { callNumber, deniedCalls, judgedCalls, uncountedMemoryCalls } from "./syscalls.ts";

interface Call {
  readonly number: number;
  readonly architecture?: number;
  readonly arguments?: readonly number[];
}
const allowed = "allowed";

/** What the kernel would do: runs the program on one system call. */
function verdict(program: Uint8Array, call: Call): string {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture ?? 0xc000003e, true);
  for (const [index, value] of (call.arguments ?? []).entries()) {
    data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, BigInt(value)), true);
  }
  const view = new DataView(program.buffer);
  let word = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, value] = [view.getUint16(at * 8, true), view.getUint32(at * 8 + 4, true)];
    const jump = (holds: boolean): number => view.getUint8(at * 8 + (holds ? 2 : 3));
    if (code === 0x20) word = data.getUint32(value, true);
    else if (code === 0x15) at += jump(word === value);
    else if (code === 0x35) at += jump(word >= value);
    else if (code === 0x45) at += jump((word & value) !== 0);
    else if (code === 0x06) return value === 0x7fff0000 ? allowed : `errno ${value - 0x50000}`;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program ran off its end");
}

const architectures = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

describe.each(["x64", "arm64"] as const)("the filter of %s", (architecture) => {
  const program = seccompProgram({ architecture, isMemoryCounted: false });
  const ask = (number: number, ...given: number[]): string =>
    verdict(program, { number, architecture: architectures[architecture], arguments: given });
  const numberOf = (name: keyof typeof judgedCalls): number => callNumber(judgedCalls[name], architecture) ?? -1;

  test("ordinary calls pass", () => {
    const ordinary = architecture === "x64" ? [0, 1, 2, 9, 57, 59, 62, 231] : [56, 63, 64, 93, 129, 221, 222];
    expect(ordinary.map((number) => ask(number))).toEqual(ordinary.map(() => allowed));
  });

  const verdicts = (calls: typeof deniedCalls, by = program): ReadonlySet<string> =>
    new Set(
      Object.values(calls).flatMap((numbers) => {
        const number = callNumber(numbers, architecture);
        return number === undefined ? [] : [verdict(by, { number, architecture: architectures[architecture] })];
      }),
    );

  test("every listed call is refused", () => {
    expect(verdicts(deniedCalls)).toEqual(new Set(["errno 1"]));
  });

  test("memory that belongs to no process is refused unless a cgroup counts it", () => {
    expect(verdicts(uncountedMemoryCalls)).toEqual(new Set(["errno 38"]));
    const counted = seccompProgram({ architecture, isMemoryCounted: true });
    expect(verdicts(uncountedMemoryCalls, counted)).toEqual(new Set([allowed]));
  });

  test("threads and forks pass, new namespaces do not", () => {
    const thread = 0x003d0f00;
    const fork = 0x01200011;
    for (const flags of [thread, fork, 17]) expect(ask(numberOf("clone"), flags)).toBe(allowed);
    for (const bit of [17, 25, 26, 27, 28, 29, 30]) {
      expect(ask(numberOf("clone"), fork | (1 << bit))).toBe("errno 1");
    }
    expect(ask(numberOf("clone3"))).toBe("errno 38");
  });

  test("nobody types into a terminal for somebody else", () => {
    expect(ask(numberOf("ioctl"), 0, 0x5401)).toBe(allowed);
    for (const request of [0x5412, 0x541c, 2 ** 32 + 0x5412])
      expect(ask(numberOf("ioctl"), 0, request)).toBe("errno 1");
  });

  test("only local, IP and netlink sockets exist", () => {
    for (const family of [1, 2, 10, 16]) expect(ask(numberOf("socket"), family)).toBe(allowed);
    for (const family of [0, 17, 38, 40, 44]) expect(ask(numberOf("socket"), family)).toBe("errno 97");
  });

  test("the personality may be asked for, not changed", () => {
    for (const persona of [0, 0xffffffff]) expect(ask(numberOf("personality"), persona)).toBe(allowed);
    expect(ask(numberOf("personality"), 0x0040000)).toBe("errno 1");
  });

  test("calls of another architecture and calls that are newer than the lists do not exist", () => {
    expect(verdict(program, { number: 1, architecture: 0x40000003 })).toBe("errno 38");
    expect(ask(467)).toBe("errno 38");
    expect(ask(0x40000000 + 1)).toBe("errno 38");
  });
});
