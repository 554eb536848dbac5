// Brings a fresh clone to where `npm start`, `npm run dev` or `npm test` can run; quick when nothing changed.
//   node scripts/setup.mjs          install what is missing
//   node scripts/setup.mjs build    and build the console
//   node scripts/setup.mjs bench    and install what the benchmarks compare with
//   node scripts/setup.mjs lint     and install what checks imports and the OpenAPI document
//   node scripts/setup.mjs holders  and install libraries whose locks the tests look at; any of these together
//
// No static imports and no new syntax here: an old Node must get as far as the message below.
const version = process.versions.node.split(".").map(Number);

if (version[0] < 20 || (version[0] === 20 && version[1] < 9)) {
  console.error(`Lockkeeper needs Node 20.9 or newer, this is v${process.versions.node}`);
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
