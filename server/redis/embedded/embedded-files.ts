import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRunning } from "./server-process.ts";

/** The port and process id of the embedded server, which are stored for the next run. */
export interface ServerNote {
  port: number;
  pid: number;
}

export async function readNote(dir: string): Promise<ServerNote | undefined> {
  try {
    const { port, pid } = JSON.parse(await readFile(getNotePath(dir), "utf8"));
    return isPositive(port) && port < 65_536 && isPositive(pid) ? { port, pid } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores the port and pid of the server. The write is synchronous, so that a server never runs without a stored pid.
 */
export function writeNote(dir: string, note: ServerNote): void {
  const temporary = `${getNotePath(dir)}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(note)}\n`, { mode: 0o600 });
    renameSync(temporary, getNotePath(dir));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A claim of a process on the embedded server. The server keeps running while at least one process has a claim. */
export interface ServerClaim {
  /**
   * Releases the claim. `last`: no other process uses the server, so the caller must stop it. `shared`: another process
   * still uses the server. `given-up`: the claim had already been released.
   */
  release(): "last" | "shared" | "given-up";
}

/** Records that this process uses the server. If `fresh`, removes all claims on the previous server process. */
export async function claimServer(dir: string, { fresh }: { fresh: boolean }): Promise<ServerClaim> {
  const users = join(dir, "users");
  if (fresh) await rm(users, { recursive: true, force: true });
  await mkdir(users, { recursive: true, mode: 0o700 });
  await writeFile(join(users, String(process.pid)), "", { mode: 0o600 });
  let given = false;
  return {
    release() {
      if (given) return "given-up";
      given = true;
      rmSync(join(users, String(process.pid)), { force: true });
      return readUsers(users).some(isRunning) ? "shared" : "last";
    },
  };
}

function readUsers(users: string): number[] {
  try {
    return readdirSync(users).map(Number).filter(isPositive);
  } catch {
    return [];
  }
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function getNotePath(dir: string): string {
  return join(dir, "server.json");
}
