// Subprocesses of Node.js: spawned with streams, run by a shell, forked with messages, killed.
"use strict";

const assert = require("node:assert");
const { execFile, execSync, fork, spawn } = require("node:child_process");
const { once } = require("node:events");
const { promisify } = require("node:util");

async function main() {
  assert.strictEqual(execSync("echo $((6 * 7))", { stdio: ["ignore", "pipe", "ignore"] }).toString(), "42\n");
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "1 + 1"]);
  assert.strictEqual(stdout, "2\n");

  const sort = spawn("sort", { stdio: ["pipe", "pipe", "inherit"] });
  sort.stdin.end("c\na\nb\n");
  let sorted = "";
  for await (const part of sort.stdout) sorted += part;
  assert.strictEqual(sorted, "a\nb\nc\n");

  const child = fork(__filename, ["child"]);
  child.send({ number: 21 });
  const [answer] = await once(child, "message");
  assert.deepStrictEqual(answer, { number: 42 });
  assert.deepStrictEqual(await once(child, "exit"), [0, null]);

  const sleeper = spawn("sleep", ["1000"]);
  sleeper.kill("SIGKILL");
  assert.deepStrictEqual(await once(sleeper, "exit"), [null, "SIGKILL"]);
  console.log("child_process works");
}

if (process.argv[2] === "child") {
  process.once("message", ({ number }) => process.send({ number: number * 2 }, () => process.disconnect()));
} else {
  main();
}
