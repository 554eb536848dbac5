import { access, chmod, constants, mkdir, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { explainFileError } from "../../errors/file-error.ts";

/** The remedy that error messages state if the embedded Redis cannot write its files. */
export const EMBEDDED_REMEDY =
  "The embedded Redis keeps its data there: make it writable and free space, choose another folder with LOCKKEEPER_DATA_DIR, or set REDIS_URL.";

/** The mode bits that grant access to other accounts. */
const OTHERS = 0o077;

/**
 * Creates `dir` with access for Lockkeeper's account only. Revokes other accounts' access to files that an earlier run
 * left in the directory.
 *
 * @returns the real path of the directory
 * @throws StartupError if Lockkeeper cannot write to the directory
 */
export async function preparePrivateDirectory(dir: string): Promise<string> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await access(dir, constants.W_OK);
    const path = await realpath(dir);
    await restrictAccess(path);
    for (const name of await readdir(path, { recursive: true })) await restrictAccess(join(path, name));
    return path;
  } catch (error) {
    throw await explainFileError(error, dir, EMBEDDED_REMEDY);
  }
}

/** Removes the access of other accounts to a file or directory. Ignores a file that no longer exists. */
async function restrictAccess(path: string): Promise<void> {
  try {
    const { mode } = await stat(path);
    if ((mode & OTHERS) !== 0) await chmod(path, mode & 0o777 & ~OTHERS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
