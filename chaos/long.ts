// npm run chaos:long: ten minutes of each topology with every fault, a minute of each other format, and all mutants.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const RUNS = [
  ["--topology", "single", "--seconds", "600"],
  ["--topology", "quorum", "--seconds", "600"],
  ["--topology", "single", "--seconds", "60", "--format", "token"],
  ["--topology", "single", "--seconds", "60", "--format", "timestamp"],
  ["--mutants"],
];

const main = fileURLToPath(new URL("main.ts", import.meta.url));
const failed = RUNS.filter((argv) => {
  const { status } = spawnSync(
    process.execPath,
    ["--import", "tsx", main, ...argv, ...process.argv.slice(2)],
    {
      stdio: "inherit",
    },
  );
  console.log("");
  return status !== 0;
});
for (const argv of failed) console.log(`failed: npm run chaos -- ${argv.join(" ")}`);
console.log(`${RUNS.length - failed.length} of ${RUNS.length} runs held`);
process.exitCode = failed.length === 0 ? 0 : 1;
