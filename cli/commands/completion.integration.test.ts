import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { runCli } from "../../test/support/run-cli.ts";

vi.setConfig({ testTimeout: 60_000 });

const run = promisify(execFile);

/** Returns the completions that bash offers for the last element of `words`. */
async function complete(script: string, words: readonly string[]): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const lines = [
    script,
    `COMP_WORDS=(${quoted})`,
    `COMP_CWORD=${words.length - 1}`,
    "_lockkeeper",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an array of bash
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ];
  const { stdout } = await run("bash", ["-c", lines.join("\n")]);
  return stdout.split("\n").filter((word) => word !== "");
}

test("bash completes commands, subcommands and options", async () => {
  const { stdout: script } = await runCli(["completion", "bash"]);
  expect(await complete(script, ["lockkeeper", "s"])).toEqual(["serve", "show"]);
  expect(await complete(script, ["lockkeeper", "ls", "--js"])).toEqual(["--json"]);
  expect(await complete(script, ["lockkeeper", "audit", "v"])).toEqual(["verify"]);
  expect(await complete(script, ["lockkeeper", "release", "lock:a", "--re"])).toEqual([
    "--reason",
    "--reserve",
    "--release-unverified",
  ]);
});

test.each(["zsh", "fish"])("the script for %s has every command", async (shell) => {
  const { code, stdout } = await runCli(["completion", shell]);
  expect(code).toBe(0);
  for (const name of ["serve", "run", "ls", "show", "release", "events", "doctor", "login", "audit"])
    expect(stdout).toContain(name);
});

test("login without a server names the command that starts one", async ({ onTestFinished }) => {
  const data = await mkdtemp(join(tmpdir(), "lockkeeper-login-"));
  onTestFinished(() => rm(data, { recursive: true }));
  expect(await runCli(["login", "--data", data])).toEqual({
    code: 125,
    stdout: "",
    stderr: "lockkeeper: Lockkeeper has not been started here. Run `lockkeeper serve`.\n",
  });
});

test("an invalid setting is explained with its permitted values", async () => {
  const { code, stderr } = await runCli(["login"], { PORT: "http" });
  expect([code, stderr]).toEqual([125, "lockkeeper: PORT must be a port number from 0 to 65535.\n"]);
});
