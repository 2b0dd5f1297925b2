// The system calls a sandbox may make, as the bytes of a classic BPF program for `bwrap --seccomp`. A list of what is refused: programs that
// people write keep working, and what would reach the kernel's weak spots, other processes or the world outside fails with an error code.
// Each test is followed by its own return, so that no jump comes near the 255 instructions it could reach.
import {
  type Architecture,
  callNumber,
  deniedCalls,
  firstUnlistedCall,
  judgedCalls,
  uncountedMemoryCalls,
} from "./syscalls.ts";

export interface SeccompOptions {
  readonly architecture: Architecture;
  /** A cgroup counts memory that belongs to no process; without one, such memory is refused. */
  readonly isMemoryCounted: boolean;
}

// Instruction codes of classic BPF.
const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const returnValue = 0x06;

// Offsets in struct seccomp_data; arguments are 64 bits wide, and what is judged here fits in the lower 32 (both machines are little-endian).
const offsetNumber = 0;
const offsetArchitecture = 4;
const offsetArgument = (index: number): number => 16 + 8 * index;

const allow = 0x7fff0000;
const failWith = (errno: number): number => 0x00050000 | errno;
const notPermitted = failWith(1);
const notImplemented = failWith(38);
const noSuchFamily = failWith(97);

const auditArchitecture: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** The second set of numbers that x86_64 kernels answer to; nothing uses it. */
const x32Bit = 0x40000000;

/** Mount, cgroup, uts, ipc, user, pid, network. (A time namespace has no flag of its own in clone.) */
const newNamespaces = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000;
/** Put words into the mouth of a terminal. */
const terminalInput = [0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */];
/** Local, IPv4, IPv6, netlink. Others are not separated by network namespaces (vsock reaches the hypervisor), or not needed. */
const families = [1, 2, 10, 16];
/** Ask which one is set; set the usual one. */
const personalities = [0xffffffff, 0];

interface Instruction {
  readonly code: number;
  readonly value: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
}
const load = (offset: number): Instruction => ({ code: loadWord, value: offset });
const give = (value: number): Instruction => ({ code: returnValue, value });
/** Goes on with `body` when the condition holds, else skips it. */
const when = (code: number, value: number, body: readonly Instruction[]): readonly Instruction[] => [
  { code, value, ifTrue: 0, ifFalse: body.length },
  ...body,
];

export function seccompProgram(options: SeccompOptions): Uint8Array {
  const { architecture, isMemoryCounted } = options;
  const numberOf = (name: keyof typeof judgedCalls): number => callNumber(judgedCalls[name], architecture) ?? -1;
  const refuse = (calls: typeof deniedCalls, result: number): readonly Instruction[] =>
    Object.values(calls).flatMap((numbers) => {
      const number = callNumber(numbers, architecture);
      return number === undefined ? [] : when(jumpIfEqual, number, [give(result)]);
    });
  const judge = (name: keyof typeof judgedCalls, body: readonly Instruction[]): readonly Instruction[] =>
    when(jumpIfEqual, numberOf(name), body);

  return assemble([
    load(offsetArchitecture),
    { code: jumpIfEqual, value: auditArchitecture[architecture], ifTrue: 1, ifFalse: 0 },
    give(notImplemented),
    load(offsetNumber),
    ...(architecture === "x64" ? when(jumpIfAtLeast, x32Bit, [give(notImplemented)]) : []),
    ...when(jumpIfAtLeast, firstUnlistedCall, [give(notImplemented)]),
    ...refuse(deniedCalls, notPermitted),
    ...(isMemoryCounted ? [] : refuse(uncountedMemoryCalls, notImplemented)),
    // Its flags lie in memory, where a filter cannot look; libraries fall back on clone when told that it does not exist.
    ...judge("clone3", [give(notImplemented)]),
    ...judge("clone", [
      load(offsetArgument(0)),
      ...when(jumpIfAnyBit, newNamespaces, [give(notPermitted)]),
      give(allow),
    ]),
    ...judge("ioctl", [
      load(offsetArgument(1)),
      ...terminalInput.flatMap((request) => when(jumpIfEqual, request, [give(notPermitted)])),
      give(allow),
    ]),
    ...judge("socket", [
      load(offsetArgument(0)),
      ...families.flatMap((family) => when(jumpIfEqual, family, [give(allow)])),
      give(noSuchFamily),
    ]),
    ...judge("personality", [
      load(offsetArgument(0)),
      ...personalities.flatMap((persona) => when(jumpIfEqual, persona, [give(allow)])),
      give(notPermitted),
    ]),
    give(allow),
  ]);
}

function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, value, ifTrue = 0, ifFalse = 0 }] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return bytes;
}
