// Files by promises: streams, directories, links, a watch and many writes at once.
import assert from "node:assert";
import { createReadStream, createWriteStream } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, gunzipSync } from "node:zlib";

const place = await fs.mkdtemp(join(tmpdir(), "files-"));
await Promise.all(Array.from({ length: 200 }, (_, n) => fs.writeFile(join(place, `file-${n}`), `text ${n}`)));
assert.strictEqual((await fs.readdir(place)).length, 200);
await pipeline(createReadStream(join(place, "file-7")), createGzip(), createWriteStream(join(place, "file-7.gz")));
assert.strictEqual(gunzipSync(await fs.readFile(join(place, "file-7.gz"))).toString(), "text 7");
await fs.cp(place, join(tmpdir(), "copy"), { recursive: true });
await fs.symlink("file-1", join(place, "link"));
assert.strictEqual(await fs.readFile(join(place, "link"), "utf8"), "text 1");
const changes = fs.watch(place);
const next = changes[Symbol.asyncIterator]().next();
await fs.writeFile(join(place, "seen"), "x");
assert.strictEqual((await next).value.filename, "seen");
const handle = await fs.open("output/kept.txt", "w");
await handle.write("kept");
await handle.sync();
await handle.close();
await fs.rm(place, { recursive: true });
console.log("fs promises works");
process.exit(0);
