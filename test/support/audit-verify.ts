import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs the script of `npm run audit:verify` without npm and returns its output. */
export function runAuditVerify(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; text: string }> {
  const command = ["--import", "tsx", "scripts/audit-verify.ts", ...words];
  const options = { cwd: ROOT, env: { ...process.env, ...environment } };
  return new Promise((resolve) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, text: stdout + stderr });
    });
  });
}
