// The command that the tests of `lockkeeper run` start. Until it ends, it appends lines with the monotonic time of the
// machine to a file. Plain JavaScript starts faster than TypeScript.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [file = "", workMs = "1000", ...modes] = process.argv.slice(2);
const EVERY_MS = 10;

const record = (event) => {
  const { LOCKKEEPER_FENCE: fence, LOCKKEEPER_KEY: key } = process.env;
  const at = Number(process.hrtime.bigint()) / 1e6;
  appendFileSync(
    file,
    `${JSON.stringify({ at, event, key, fence, pid: process.pid, parent: process.ppid })}\n`,
  );
};

record("begin");
for (const name of ["SIGTERM", "SIGINT", "SIGUSR1"]) {
  process.on(name, () => {
    record(name);
    if (name !== "SIGUSR1" && !modes.includes("--ignore-signals")) process.exit(0);
  });
}
if (modes.includes("--child")) {
  const args = [process.argv[1] ?? "", file, workMs, "--ignore-signals"];
  spawn(process.execPath, args, { stdio: "inherit" });
}
setInterval(() => record("alive"), EVERY_MS);
setTimeout(() => {
  record("end");
  process.exit(0);
}, Number(workMs));
