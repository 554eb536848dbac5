import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { guardProcess, unguardProcess } from "../support/process-guard.ts";

const CLI = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const WORK = fileURLToPath(new URL("./work.mjs", import.meta.url));
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunProcess {
  readonly pid: number;
  /** The child process. Its standard input, output and error are pipes. */
  readonly child: ChildProcess;
  readonly ended: Promise<RunEnd>;
  /** Returns the standard error output so far. */
  readStderr(): string;
}

/** Starts `lockkeeper run` with the given arguments. The environment specifies the connection. */
export function startRun(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): RunProcess {
  const child = spawn(process.execPath, ["--import", "tsx", CLI, "run", ...args], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("The command line could not be started.");
  guardProcess(pid);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<RunEnd>((resolve) => {
    child.once("exit", () => unguardProcess(pid));
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { pid, child, ended, readStderr: () => stderr };
}

/** Returns the arguments that make `lockkeeper run` start `work.mjs`. */
export function createWorkCommand(file: string, workMs: number, ...modes: string[]): string[] {
  return ["--", process.execPath, WORK, file, String(workMs), ...modes];
}

/** Returns the PIDs of the children of a process. Only works on Linux. */
export function readChildren(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Returns the PID of a supervisor's guardian process, or `undefined` if there is none. */
export function findGuardian(supervisor: number): number | undefined {
  return readChildren(supervisor).find((pid) => readCommandLine(pid).includes("guardian"));
}

export function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
