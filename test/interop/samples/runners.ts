import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../children.ts";
import type { SampleRunner } from "./sample-runner.ts";

const TYPES = fileURLToPath(new URL("../../../node_modules/@types", import.meta.url));
const TSC = fileURLToPath(new URL("../../../node_modules/.bin/tsc", import.meta.url));
const COMPILE_MS = 60_000;

export const shellRunner: SampleRunner = {
  fileName: "safe-lock.sh",
  works: ["child"],
  driver: 'with_lock "$KEY" bash "$CHILD_SCRIPT"\n',
  command: () => ["bash", "safe-lock.sh"],
  exampleCommand: (_, key) => [
    "bash",
    "safe-lock.sh",
    key,
    "bash",
    "-c",
    'for step in 1 2 3 4 5; do echo "step $step with fence $LOCK_FENCE"; done',
  ],
};

const TYPESCRIPT_DRIVER = `
import { appendFileSync } from "node:fs";

const env = process.env;
const { KEY = "", LOG_FILE = "", CHILD_SCRIPT = "" } = env;
const options = { leaseMs: Number(env.LEASE_MS), waitMs: Number(env.WAIT_MS) };
try {
  process.exitCode = await withLock(KEY, options, async (hold) => {
    if (env.WORK === "child") return await hold.run("bash", [CHILD_SCRIPT]);
    const endsAt = performance.now() + Number(env.WORK_MS);
    while (performance.now() < endsAt) {
      hold.assertHeld();
      appendFileSync(LOG_FILE, \`\${env.COPY} \${Date.now()} \${hold.fence}\\n\`);
      await sleep(100);
    }
    if (env.END === "throw") throw new Error("the work failed");
    return env.END === "exit3" ? 3 : 0;
  });
} catch (error) {
  console.error(error);
  process.exitCode = error instanceof NotAcquired ? 75 : error instanceof LockLost ? 76 : 1;
}
`;

/**
 * Runner for the TypeScript sample. The file is compiled once with the strictest settings of a reader's project,
 * because loading TypeScript in each process would take longer.
 */
export const typescriptRunner: SampleRunner = {
  fileName: "safe-lock.mts",
  works: ["steps", "child"],
  driver: TYPESCRIPT_DRIVER,
  async build(dir) {
    const compilerOptions = {
      module: "nodenext",
      target: "es2023",
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      types: ["node"],
      typeRoots: [TYPES],
    };
    await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
    await run(TSC, ["-p", dir], { limitMs: COMPILE_MS });
  },
  command: () => [process.execPath, "safe-lock.mjs"],
  exampleCommand: () => [process.execPath, "--import", import.meta.resolve("tsx"), "safe-lock.mts"],
};
