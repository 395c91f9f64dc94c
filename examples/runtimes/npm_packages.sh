#!/usr/bin/env bash
# Packages that npm packs and installs without a network, one of them with a command, and a program that uses them.
set -euo pipefail

mkdir -p /tmp/greeting /tmp/shout/bin /tmp/app
cat >/tmp/greeting/package.json <<'JSON'
{ "name": "greeting", "version": "1.2.3", "main": "index.js" }
JSON
echo 'module.exports = (name) => `hello ${name}`;' >/tmp/greeting/index.js
cat >/tmp/shout/package.json <<'JSON'
{ "name": "shout", "version": "2.0.0", "bin": { "shout": "bin/shout.js" }, "dependencies": { "greeting": "^1.0.0" } }
JSON
printf '#!/usr/bin/env node\nconsole.log(require("greeting")("world").toUpperCase());\n' >/tmp/shout/bin/shout.js
cd /tmp
npm pack --silent ./greeting ./shout >/dev/null
cd /tmp/app
npm init --yes >/dev/null
npm install --offline --no-audit --no-fund --silent /tmp/greeting-1.2.3.tgz /tmp/shout-2.0.0.tgz
test -f node_modules/greeting/package.json
test "$(node -p 'require("greeting")("there")')" = "hello there"
test "$(npx --offline shout)" = "HELLO WORLD"
npm pkg set scripts.greet='shout | tr A-Z a-z' >/dev/null
test "$(npm run --silent greet)" = "hello world"
echo "npm packages work"
