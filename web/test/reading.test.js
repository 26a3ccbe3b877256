import assert from "node:assert/strict";
import { test } from "node:test";
import { decoded } from "../src/reading.js";

test("text in UTF-8, with or without its mark, and in UTF-16 is read", () => {
  assert.equal(decoded(new TextEncoder().encode("沈若兰 🛶")), "沈若兰 🛶");
  assert.equal(decoded(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), "a");
  assert.equal(decoded(Uint8Array.of(0xff, 0xfe, 0x88, 0x6c)), "沈");
  assert.equal(decoded(Uint8Array.of(0xfe, 0xff, 0x6c, 0x88)), "沈");
});

test("bytes that are no text are refused instead of being guessed", () => {
  assert.throws(() => decoded(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)), TypeError);
  assert.throws(() => decoded(Uint8Array.of(0x4d, 0xfc, 0x6c, 0x6c)), TypeError);
});
