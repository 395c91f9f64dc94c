// Worker threads that share memory, exchange messages and wait for each other.
"use strict";

const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");
const assert = require("node:assert");

if (isMainThread) {
  const shared = new SharedArrayBuffer(8);
  const counter = new Int32Array(shared);
  const workers = [1, 2, 3, 4].map(
    (id) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(__filename, { workerData: { shared, id } });
        worker.once("message", resolve);
        worker.once("error", reject);
      }),
  );
  Promise.all(workers).then((answers) => {
    assert.deepStrictEqual(answers, [10, 20, 30, 40]);
    assert.strictEqual(counter[0], 4000);
    console.log("worker_threads works");
  });
} else {
  const counter = new Int32Array(workerData.shared);
  for (let i = 0; i < 1000; i++) Atomics.add(counter, 0, 1);
  parentPort.postMessage(workerData.id * 10);
}
