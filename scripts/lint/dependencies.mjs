// Checks the imports between folders against scripts/lint/layers.mjs.
import { fileURLToPath } from "node:url";
import { runChild } from "../steps/child.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CRUISER = fileURLToPath(
  new URL("node_modules/dependency-cruiser/bin/dependency-cruise.mjs", import.meta.url),
);
const FOLDERS = ["app", "components", "lib", "server", "cli", "packages", "test", "e2e", "scripts", "demo"];

const options = ["--config", "scripts/lint/dependency-rules.mjs", "--output-type", "err-long"];
const { code } = await runChild(process.execPath, [CRUISER, ...options, ...FOLDERS], { cwd: ROOT });
process.exitCode = code;
