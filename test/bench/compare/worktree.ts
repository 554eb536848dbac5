import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../arguments.ts";
import { reportProgress } from "../progress.ts";
import { ROOT } from "../root.ts";
import { type Finished, Processes } from "./processes.ts";

const PREFIX = "lockkeeper-compare-";

/**
 * Resolves a Git revision to the full id of its commit.
 *
 * @throws UsageError if `ref` does not name a commit
 */
export async function resolveCommit(processes: Processes, ref: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { code, stdout } = await runGit(processes, args);
  if (code !== 0) throw new UsageError(`There is no commit "${ref}" in this repository.`);
  return stdout.trim();
}

/**
 * Checks out a commit as a worktree in a temporary folder. The folder must be outside this checkout, because Next takes
 * the outermost folder with a lock file as the root of the project.
 *
 * @param later registers a function that removes the worktree
 */
export async function addWorktree(
  processes: Processes,
  commit: string,
  later: (end: () => unknown) => void,
): Promise<string> {
  await removeLeftovers();
  const parent = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  later(() => removeWorktree(parent));
  const dir = join(parent, commit.slice(0, 12));
  const { code, stderr } = await runGit(processes, ["worktree", "add", "--detach", dir, commit]);
  if (code !== 0) throw new Error(`git worktree add failed: ${stderr.trim()}`);
  return dir;
}

async function removeWorktree(parent: string): Promise<void> {
  await rm(parent, { recursive: true, force: true, maxRetries: 3 });
  // Uses a new instance, because an interruption may have ended the instance of the comparison.
  await runGit(new Processes(), ["worktree", "prune"]);
}

/** Removes the worktrees of earlier comparisons that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (!(pid > 0) || isRunning(pid)) continue;
    reportProgress(`Removing ${join(tmpdir(), name)}, left by an earlier comparison`);
    await removeWorktree(join(tmpdir(), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function runGit(processes: Processes, args: readonly string[]): Promise<Finished> {
  return await processes.run({ program: "git", args, cwd: ROOT });
}
