import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import { ProcessSession } from "./process-session.ts";

/** How a command ended: with an exit code or by a signal. */
export interface CommandExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface CommandRequest {
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Called with the names of environment variables that cannot be passed on to the command. */
  readonly onDropped: (names: readonly string[]) => void;
}

/**
 * Shell script that waits for a line on file descriptor 3 and then replaces itself with the command. If the supervisor
 * is killed, the pipe ends without a line, and the command never starts.
 */
const GATE_SCRIPT = 'read -r go <&3 && [ "$go" = go ] && exec "$@" 3<&-; exit 125';
/** The `$0` of the script. The shell prints this name in front of its errors. */
const GATE_NAME = "lockkeeper";
/**
 * Matches names of environment variables that every shell passes on. Some shells, such as dash, drop variables with
 * other names.
 */
const SHELL_VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const BASH = "/bin/bash";

/**
 * A command that has its own session and starts when `open` is called. Until then, a shell script (the gate) runs in
 * its place, so that the process id is known before the command starts.
 */
export class GatedCommand {
  readonly session: ProcessSession;
  readonly exited: Promise<CommandExit>;
  readonly #gate: Writable;

  private constructor(child: ChildProcess, leaderPid: number, gate: Writable) {
    this.session = ProcessSession.ofLeader(leaderPid);
    this.exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.#gate = gate;
    // Ignores failed writes. A write fails if the gate was killed, which `exited` reports.
    gate.on("error", () => undefined);
  }

  /** Starts the gate, which waits for `open` or `abandon`. @throws Error if the shell cannot be started */
  static async spawn({ command, environment, onDropped }: CommandRequest): Promise<GatedCommand> {
    const foreign = Object.keys(environment).filter((name) => !SHELL_VARIABLE.test(name));
    const shell = foreign.length > 0 && existsSync(BASH) ? BASH : "/bin/sh";
    if (foreign.length > 0 && shell !== BASH) onDropped(foreign);
    const child = spawn(shell, ["-c", GATE_SCRIPT, GATE_NAME, ...command], {
      detached: true,
      env: environment,
      stdio: ["inherit", "inherit", "inherit", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", () => resolve()).once("error", reject);
    });
    const gate = child.stdio[3];
    if (child.pid === undefined || !isWritable(gate)) throw new Error("the shell has no process id");
    return new GatedCommand(child, child.pid, gate);
  }

  /** Starts the command. */
  open(): void {
    this.#gate.end("go\n");
  }

  /** Ends the gate without starting the command. Resolves when the gate has exited. */
  async abandon(): Promise<void> {
    this.#gate.destroy();
    await this.exited;
  }
}

/**
 * Returns the exit code that a shell would report: the command's own exit code, or 128 plus the signal number if a
 * signal ended the command.
 */
export function toExitCode({ code, signal }: CommandExit): number {
  if (code !== null) return code;
  return signal === null ? 128 : 128 + constants.signals[signal];
}

function isWritable(stream: unknown): stream is Writable {
  return stream !== null && typeof stream === "object" && "end" in stream;
}
