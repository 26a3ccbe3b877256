import assert from "node:assert/strict";
import { test } from "node:test";
import { Volume } from "../src/block_fs.js";

const BLOCK = 16;

/** @param {string} text */
const encode = (text) => new TextEncoder().encode(text);

/** @param {import("../src/block_fs.js").BlockFile} file */
const content = (file) => {
  const target = new Uint8Array(file.size).fill(255);
  assert.equal(file.read(target, 0), file.size);
  return target;
};

/** @param {import("../src/block_fs.js").Snapshot} snapshot */
const written = (snapshot) => snapshot.writes.map(({ index }) => index).sort((a, b) => a - b);

test("what is written across blocks is read back", () => {
  const file = new Volume(BLOCK).create("a");
  file.write(encode("0123456789".repeat(5)), 7);
  assert.equal(file.size, 57);
  assert.deepEqual(content(file).subarray(7), encode("0123456789".repeat(5)));
  const middle = new Uint8Array(4);
  assert.equal(file.read(middle, 15), 4);
  assert.deepEqual(middle, encode("8901"));
});

test("reading at and beyond the end yields no bytes", () => {
  const file = new Volume(BLOCK).create("a");
  file.write(encode("abc"), 0);
  const target = new Uint8Array(8).fill(9);
  assert.equal(file.read(target, 2), 1);
  assert.equal(file.read(target, 3), 0);
  assert.equal(file.read(target, 400), 0);
});

test("a hole reads as zeros and is not stored", () => {
  const volume = new Volume(BLOCK);
  const file = volume.create("a");
  file.write(encode("end"), 5 * BLOCK);
  assert.deepEqual(content(file).subarray(0, 5 * BLOCK), new Uint8Array(5 * BLOCK));
  const snapshot = volume.snapshot(1);
  assert.deepEqual(written(snapshot), [5]);
  assert.deepEqual([...snapshot.files[0].generations], [0, 0, 0, 0, 0, 1]);
});

test("bytes cut off do not come back when the file grows again", () => {
  const file = new Volume(BLOCK).create("a");
  file.write(encode("x".repeat(40)), 0);
  file.truncate(18);
  file.truncate(40);
  assert.deepEqual(content(file), Uint8Array.from([...encode("x".repeat(18)), ...new Uint8Array(22)]));
});

test("a snapshot holds exactly the blocks that changed since the last acknowledged one", () => {
  const volume = new Volume(BLOCK);
  const file = volume.create("a");
  file.write(new Uint8Array(5 * BLOCK), 0);
  volume.acknowledge(volume.snapshot(1));
  assert.equal(volume.isDirty, false);
  file.write(encode("!"), 2 * BLOCK);
  assert.equal(volume.isDirty, true);
  const snapshot = volume.snapshot(2);
  assert.deepEqual(written(snapshot), [2]);
  assert.deepEqual([...snapshot.files[0].generations], [1, 1, 2, 1, 1]);
  assert.deepEqual(volume.acknowledge(snapshot), [[file.id, 2, 1]]);
});

test("a change made while a snapshot is under way stays a change", () => {
  const volume = new Volume(BLOCK);
  const file = volume.create("a");
  file.write(encode("one"), 0);
  const snapshot = volume.snapshot(1);
  file.write(encode("two"), 0);
  volume.acknowledge(snapshot);
  assert.equal(volume.isDirty, true);
  assert.deepEqual(written(volume.snapshot(2)), [0]);
});

test("a snapshot that failed is repeated by the next", () => {
  const volume = new Volume(BLOCK);
  volume.create("a").write(encode("one"), 0);
  volume.snapshot(1);
  assert.deepEqual(written(volume.snapshot(2)), [0]);
});

test("a block cut off while its snapshot was under way is deleted after the next", () => {
  const volume = new Volume(BLOCK);
  const file = volume.create("a");
  file.write(new Uint8Array(2 * BLOCK), 0);
  const first = volume.snapshot(1);
  file.truncate(3);
  assert.deepEqual(volume.acknowledge(first), []);
  assert.deepEqual(volume.acknowledge(volume.snapshot(2)).sort(), [[file.id, 0, 1], [file.id, 1, 1]]);
});

test("a removed file leaves all its stored blocks to be deleted", () => {
  const volume = new Volume(BLOCK);
  const file = volume.create("a");
  file.write(new Uint8Array(2 * BLOCK), 0);
  volume.acknowledge(volume.snapshot(1));
  volume.remove("a");
  const snapshot = volume.snapshot(2);
  assert.deepEqual(snapshot.files, []);
  assert.deepEqual(volume.acknowledge(snapshot), [[file.id, 0, 1], [file.id, 1, 1]]);
});

test("renaming over a file replaces it without writing a block", () => {
  const volume = new Volume(BLOCK);
  volume.create("old").write(encode("old"), 0);
  volume.create("new").write(encode("new"), 0);
  volume.acknowledge(volume.snapshot(1));
  volume.rename("new", "old");
  const snapshot = volume.snapshot(2);
  assert.deepEqual(snapshot.writes, []);
  assert.deepEqual(snapshot.files.map(({ name, id }) => [name, id]), [["old", 2]]);
});
