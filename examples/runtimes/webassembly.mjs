// A module in WebAssembly, compiled here: the factorial by recursion, and memory that both sides see.
import assert from "node:assert";

const factorial = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 124, 1, 124, 3, 2, 1, 0, 7, 7, 1, 3, 102, 97, 99, 0, 0, 10, 46, 1, 44, 0,
  32, 0, 68, 0, 0, 0, 0, 0, 0, 240, 63, 99, 4, 124, 68, 0, 0, 0, 0, 0, 0, 240, 63, 5, 32, 0, 32, 0, 68, 0, 0, 0, 0, 0, 0,
  240, 63, 161, 16, 0, 162, 11, 11,
]);
const { instance } = await WebAssembly.instantiate(factorial);
assert.strictEqual(instance.exports.fac(10), 3628800);
for (let i = 0; i < 100_000; i++) instance.exports.fac(20);

const memory = new WebAssembly.Memory({ initial: 1, maximum: 256 });
memory.grow(200);
new Uint8Array(memory.buffer)[200 * 65536] = 7;
assert.strictEqual(memory.buffer.byteLength, 201 * 65536);
console.log("WebAssembly works");
