#!/usr/bin/env node
// The command of the package, as bin/lockkeeper.js. No static imports and no new syntax here, so that old versions of
// Node can print the message below.
const version = process.versions.node.split(".").map(Number);

if (version[0] < 20 || (version[0] === 20 && version[1] < 9)) {
  console.error(`Lockkeeper requires Node 20.9 or newer; this is v${process.versions.node}`);
  process.exit(125);
}

import("../cli/main.js");
