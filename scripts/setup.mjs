// Prepares a clone for `npm start`, `npm run dev` or `npm test`. Fast if nothing has changed.
//
//   node scripts/setup.mjs            installs missing dependencies
//   node scripts/setup.mjs build      also builds the console
//   node scripts/setup.mjs bench      also installs the libraries that the benchmarks compare
//   node scripts/setup.mjs lint       also installs the linters for imports and for the OpenAPI document
//   node scripts/setup.mjs holders    also installs the libraries whose locks the tests read
//
// Arguments can be combined.
//
// This file has no static imports and no new syntax, so that old versions of Node can print the message below.
const version = process.versions.node.split(".").map(Number);

if (version[0] < 20 || (version[0] === 20 && version[1] < 9)) {
  console.error(`Lockkeeper requires Node 20.9 or newer; this is v${process.versions.node}`);
  process.exit(1);
}

import("./steps/prepare.mjs")
  .then((steps) =>
    steps.prepare({
      build: process.argv.includes("build"),
      apart: ["bench", "holders", "lint"].filter((name) => process.argv.includes(name)),
    }),
  )
  .catch((error) => {
    console.error(error.name === "StepError" ? error.message : error);
    process.exit(1);
  });
