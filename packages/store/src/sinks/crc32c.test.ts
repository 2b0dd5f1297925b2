import { expect, test } from "vitest";
import { crc32c, maskedCrc32c } from "./crc32c.ts";

test("checksums are those of RFC 3720", () => {
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
  expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_unused, index) => index)))).toBe(0x46dd794e);
  expect(crc32c(Buffer.alloc(0))).toBe(0);
});

test("masking rotates by 15 bits and adds a constant", () => {
  const crc = 0xe3069283;
  const rotated = Number(((BigInt(crc) >> 15n) | (BigInt(crc) << 17n)) & 0xffffffffn);
  expect(maskedCrc32c(Buffer.from("123456789"))).toBe((rotated + 0xa282ead8) % 2 ** 32);
});
