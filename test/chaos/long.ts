// npm run chaos:long: tests each topology for ten minutes with all default faults and each kind of lock other than
// plain locks for several minutes. The other formats and the fault that breaks the order of fences get one minute each.
// Finally tests all mutants.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { endAll } from "../interop/children.ts";
import { formatReason } from "../interop/skip.ts";
import { provideLibfaketime } from "../interop/steps/libfaketime.ts";
import { KINDS } from "./locks-under-test.ts";

const RUNS = [
  ["--topology", "single", "--seconds", "600"],
  ["--topology", "quorum", "--seconds", "600"],
  ["--topology", "sentinel", "--seconds", "600"],
  ["--topology", "cluster", "--seconds", "600"],
  // With leases longer than a failover, the leases of holds that the failover loses have not ended yet.
  [
    "--topology",
    "sentinel",
    "--seconds",
    "60",
    "--lease-ms",
    "6000",
    "--faults",
    "kill-master-ahead,stop-master",
  ],
  [
    "--topology",
    "cluster",
    "--seconds",
    "60",
    "--lease-ms",
    "6000",
    "--faults",
    "kill-master-ahead,stop-master",
  ],
  ["--topology", "single", "--seconds", "60", "--faults", "lose-data-and-set-clock-back"],
  ["--topology", "quorum", "--seconds", "60", "--faults", "lose-data-and-set-clock-back"],
  ["--topology", "single", "--seconds", "60", "--format", "token"],
  ["--topology", "single", "--seconds", "60", "--format", "timestamp"],
  ...KINDS.filter((kind) => kind !== "lock").flatMap((kind) => [
    ["--topology", "single", "--seconds", "300", "--kinds", kind],
    ["--topology", "sentinel", "--seconds", "75", "--kinds", kind],
    ["--topology", "cluster", "--seconds", "75", "--kinds", kind],
  ]),
  ["--mutants"],
];

// Installs libfaketime, without which the runs would omit the faults that set clocks.
await provideLibfaketime().catch((error: unknown) =>
  console.log(`no clocks of servers: ${formatReason(error)}`),
);
await endAll();

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
