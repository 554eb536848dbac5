import { kill, start } from "../children.ts";

/** A running sample program. */
export interface RunningProgram {
  readonly readOutput: () => string;
  readonly readComplaints: () => string;
  /** Resolves with the exit status, or with the name of the signal that killed the program. */
  readonly ended: Promise<number | string>;
  /** Sends a signal to the program, but not to its children. */
  signal(name: NodeJS.Signals): void;
  /** Kills the program and its children. */
  stop(): void;
}

export function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  options: { readonly env: NodeJS.ProcessEnv; readonly cwd?: string },
): RunningProgram {
  const child = start(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let [output, complaints] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  return {
    readOutput: () => output,
    readComplaints: () => complaints,
    ended: new Promise((resolve) => {
      child.once("close", (code, signal) => resolve(code ?? signal ?? ""));
    }),
    signal: (name) => child.kill(name),
    stop: () => kill(child),
  };
}
