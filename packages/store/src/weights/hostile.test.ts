// Files that are broken or made to break their reader: each is a clear error that names the file, and none costs memory or time.
import { HoneError } from "@hone/core";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rejection, temporaryFolder } from "../testing/temporary.ts";
import { openSafetensors } from "./safetensors-read.ts";

function fileOf(header: string | Uint8Array, dataBytes = 0): Buffer {
  const text = Buffer.from(header as string);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, Buffer.alloc(dataBytes, 1)]);
}

async function problemWith(content: Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), "hostile.safetensors");
  await writeFile(path, content);
  const error = await rejection(openSafetensors(path));
  if (!HoneError.is(error)) throw new Error(`it was opened, or failed with ${String(error)}`);
  expect(error).toMatchObject({ code: "bad-weights", hint: expect.any(String) });
  expect(error.message.startsWith(`${path}: `)).toBe(true);
  return error.message.slice(path.length + 2);
}

const tensor = (fields: string): string => `{"w":{${fields}}}`;
const bytes = (shape: string, offsets: string, dtype = "U8"): string =>
  tensor(`"dtype":"${dtype}","shape":${shape},"data_offsets":${offsets}`);
const two = (first: string, second: string): string =>
  `{"a":{"dtype":"U8","shape":[4],"data_offsets":${first}},"b":{"dtype":"U8","shape":[4],"data_offsets":${second}}}`;

describe("refused, with the reason", () => {
  test.each<[string, Uint8Array, string]>([
    ["an empty file", new Uint8Array(0), "0 bytes are no safetensors file"],
    ["seven bytes", new Uint8Array(7), "7 bytes are no safetensors file"],
    [
      "a header longer than the file",
      Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, 0x7b]),
      "8 bytes beyond the end of the file",
    ],
    ["a header of exabytes", Buffer.alloc(16, 0xff), "its header would be 18446744073709551615 bytes"],
    ["an empty header", fileOf(""), "does not start with {"],
    ["a space before the header", fileOf(" {}"), "does not start with {"],
    ["a byte order mark", fileOf("\ufeff{}"), "does not start with {"],
    ["bytes that are not UTF-8", fileOf(Uint8Array.of(0x7b, 0x22, 0xff, 0x22)), "not UTF-8"],
    ["a bracket of another kind", fileOf("{]"), "broken at character 1: no string"],
    ["no end", fileOf('{"w":'), "no { where one is due"],
    ["a string without an end", fileOf('{"w'), "a string without an end"],
    ["a string that ends in an escape", fileOf('{"w\\'), "a string without an end"],
    ["a raw control character", fileOf('{"w\n":{}}'), "a control character"],
    ["an unknown escape", fileOf('{"\\x":{}}'), "an escape that is none"],
    ["half a surrogate pair", fileOf('{"\\ud800":{}}'), "an escape that is none"],
    ["text after the header", fileOf("{}{}"), "more after the last }"],
    ["a comma too many", fileOf('{"w":{"dtype":"U8",}}'), "no string where one is due"],
    ["a list instead of a tensor", fileOf('{"w":[]}'), "no { where one is due"],
    ["an empty tensor", fileOf('{"w":{}}'), 'tensor "w" needs dtype, shape and two data_offsets'],
    ["one offset", fileOf(bytes("[0]", "[0]")), 'tensor "w" needs dtype, shape and two data_offsets'],
    ["three offsets", fileOf(bytes("[0]", "[0,0,0]")), "more than 2 numbers"],
    ["an unknown field", fileOf(tensor('"dtype":"U8","size":3')), 'tensor "w" has an unknown field "size"'],
    ["a field twice", fileOf(tensor('"dtype":"U8","dtype":"F32"')), '"dtype" is in the header twice'],
    [
      "a tensor twice",
      fileOf(`{"w":${bytes("[0]", "[0,0]").slice(5, -1)},"\\u0077":{}}`),
      '"w" is in the header twice',
    ],
    ["the metadata twice", fileOf('{"__metadata__":{},"__metadata__":{}}'), '"__metadata__" is in the header twice'],
    ["metadata that is no text", fileOf('{"__metadata__":{"a":1}}'), "no string where one is due"],
    ["a negative offset", fileOf(bytes("[1]", "[-1,0]")), "no whole number"],
    ["a broken offset", fileOf(bytes("[1]", "[0,1.5]"), 1), "no ] where one is due"],
    ["an exponent", fileOf(bytes("[1e3]", "[0,1000]"), 1000), "no ] where one is due"],
    ["a leading zero", fileOf(bytes("[01]", "[0,1]"), 1), "no whole number"],
    ["a number beyond counting", fileOf(bytes("[9007199254740992]", "[0,1]"), 1), "no whole number"],
    ["a number of a million digits", fileOf(bytes(`[${"9".repeat(1e6)}]`, "[0,1]"), 1), "no whole number"],
    ["a shape beyond counting", fileOf(bytes(`[${2 ** 52},4]`, "[0,4]"), 4), "impossible shape [4503599627370496, 4]"],
    ["a thousand dimensions", fileOf(bytes(`[${"1,".repeat(999)}1]`, "[0,1]"), 1), "more than 64 numbers"],
    ["nested lists without end", fileOf(`{"w":{"shape":${"[".repeat(1e6)}`), "no whole number"],
    ["an unknown type", fileOf(bytes("[1]", "[0,1]", "F7"), 1), 'has the dtype "F7", not one of BOOL, U8'],
    ["the name of a method as a type", fileOf(bytes("[1]", "[0,1]", "toString"), 1), 'has the dtype "toString"'],
    ["offsets of another size", fileOf(bytes("[2]", "[0,2]", "F32"), 2), "F32 [2] is 8 bytes, its offsets say 2"],
    ["offsets in the wrong order", fileOf(bytes("[4]", "[4,0]"), 4), "U8 [4] is 4 bytes, its offsets say -4"],
    ["overlapping tensors", fileOf(two("[0,4]", "[2,6]"), 6), 'tensor "b" overlaps the one before it'],
    ["two tensors in one place", fileOf(two("[0,4]", "[0,4]"), 4), "overlaps the one before it"],
    ["a gap", fileOf(two("[0,4]", "[6,10]"), 10), '2 bytes before tensor "b" belong to no tensor'],
    ["a gap at the start", fileOf(bytes("[1]", "[1,2]"), 2), '1 bytes before tensor "w" belong to no tensor'],
    ["missing data", fileOf(two("[0,4]", "[4,8]"), 5), 'tensor "b" ends 3 bytes beyond the end of the file'],
    ["data of nobody", fileOf(bytes("[1]", "[0,1]"), 3), "2 bytes after the last tensor belong to none"],
  ])("%s", async (_what, content, problem) => {
    expect(await problemWith(content)).toContain(problem);
  });

  test("a header of 100 MB and one byte, without reading it", async () => {
    const path = join(await temporaryFolder(), "long.safetensors");
    await writeFile(path, Buffer.from([0x01, 0xe1, 0xf5, 0x05, 0, 0, 0, 0]));
    await truncate(path, 2e8);
    expect(await rejection(openSafetensors(path))).toMatchObject({
      message: expect.stringContaining("100000001 bytes"),
    });
  });

  test("a folder", async () => {
    const folder = await temporaryFolder();
    expect(await rejection(openSafetensors(folder))).toMatchObject({ message: `${folder}: it is not a file` });
  });

  test("a file that is not there", async () => {
    const path = join(await temporaryFolder(), "none");
    expect(await rejection(openSafetensors(path))).toMatchObject({
      code: "disk",
      message: expect.stringContaining(path),
    });
  });

  test("a long name, cut in the message", async () => {
    const problem = await problemWith(fileOf(`{"${"n".repeat(1e6)}":{}}`));
    expect(problem.length).toBeLessThan(300);
  });
});

describe("accepted", () => {
  test.each<[string, string, number]>([
    [
      "spaces and newlines between everything",
      '{ "w" :\n{"dtype" : "U8",\t"shape" : [ 2 , 1 ], "data_offsets":[ 0 , 2 ] } }\r\n ',
      2,
    ],
    ["fields in another order", tensor('"data_offsets":[0,2],"dtype":"U8","shape":[2]'), 2],
    ["metadata that is null", `{"__metadata__":null,${bytes("[2]", "[0,2]").slice(1)}`, 2],
    ["an escaped name", bytes("[2]", "[0,2]").replace('"w"', '"\\u0077"'), 2],
  ])("%s", async (_what, header, dataBytes) => {
    const path = join(await temporaryFolder(), "odd.safetensors");
    await writeFile(path, fileOf(header, dataBytes));
    await using file = await openSafetensors(path);
    expect((await file.read("w")).bytes).toEqual(new Uint8Array(dataBytes).fill(1));
  });

  test("a tensor called __proto__, as data", async () => {
    const path = join(await temporaryFolder(), "proto.safetensors");
    await writeFile(
      path,
      fileOf(`{"__metadata__":{"__proto__":"x"},${bytes("[2]", "[0,2]").slice(1).replace('"w"', '"__proto__"')}`, 2),
    );
    await using file = await openSafetensors(path);
    expect(Object.entries(file.metadata)).toEqual([["__proto__", "x"]]);
    expect((await file.read("__proto__")).byteLength).toBe(2);
  });
});
