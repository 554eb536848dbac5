import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CONTENDERS = 4;
const LOCKS = 150;
/** Time, in ms, between the attempts at one lock and at the next one. */
const INTERVAL_MS = 25;
/** Time for all contenders to start, in ms. */
const START_MS = 8000;

/**
 * Starts a process that acquires many locks and kills itself. Then starts several processes, all of which try to take
 * over each of these locks at the same moment.
 *
 * @param imported an import declaration that `acquire` needs
 * @param acquire source of a function that acquires the lock at `path`, waits for `work` and releases the lock
 * @returns one line for each time that a process acquired a lock that another process held, the number of other times
 * that a lock was acquired, and the expected number
 */
export async function contendForStaleLocks(dir: string, imported: string, acquire: string) {
  const begin = `${imported}
    import { mkdirSync, rmSync, writeFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    const acquire = ${acquire};
    const dir = ${JSON.stringify(dir)};
    const paths = Array.from({ length: ${LOCKS} }, (_, n) => dir + "/" + n);`;
  await runModule(`${begin}
    let acquired = 0;
    for (const path of paths) {
      mkdirSync(path);
      void acquire(path, async () => {
        if (++acquired === paths.length) process.kill(process.pid, "SIGKILL");
        await new Promise(() => setTimeout(() => undefined, 60_000));
      });
    }`);
  const startAt = Date.now() + START_MS;
  const outputs = await Promise.all(
    Array.from({ length: CONTENDERS }, () =>
      runModule(`${begin}
        const use = async (path) => {
          try {
            writeFileSync(path + "/in-use", "", { flag: "wx" });
          } catch {
            return console.log("overlap " + path);
          }
          await sleep(1);
          rmSync(path + "/in-use");
          console.log("acquired " + path);
        };
        await Promise.all(paths.map(async (path, n) => {
          await sleep(${startAt} + n * ${INTERVAL_MS} - 5 - Date.now());
          while (Date.now() < ${startAt} + n * ${INTERVAL_MS});
          await acquire(path, () => use(path));
        }));`),
    ),
  );
  const lines = outputs.join("").trim().split("\n");
  return {
    overlaps: lines.filter((line) => line.startsWith("overlap")),
    acquired: lines.filter((line) => line.startsWith("acquired")).length,
    expected: CONTENDERS * LOCKS,
  };
}

/** Runs the source of a module. @returns what it printed to standard output */
function runModule(source: string): Promise<string> {
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", source], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve) => child.once("close", () => resolve(output)));
}
