// Counts words the way a web page would: worker threads, JSON, and the language's own collections.
"use strict";

const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");

const TEXTS = [
  "the quick brown fox jumps over the lazy dog",
  "the dog sleeps and the fox runs home",
  "a fox is quick and a dog is kind",
];

function countWords(text) {
  const counts = new Map();
  for (const word of text.split(" ")) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function countInWorker(text) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(__filename, { workerData: text });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

async function main() {
  console.log(`Hello from Node.js ${process.versions.node} on ${process.platform}/${process.arch}`);
  const total = new Map();
  for (const counts of await Promise.all(TEXTS.map(countInWorker))) {
    for (const [word, count] of counts) {
      total.set(word, (total.get(word) ?? 0) + count);
    }
  }
  const top = [...total].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).slice(0, 4);
  console.log(JSON.stringify({ workers: TEXTS.length, words: total.size, top: Object.fromEntries(top) }));
}

if (isMainThread) {
  main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
} else {
  parentPort.postMessage(countWords(workerData));
}
