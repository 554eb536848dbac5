import { mkdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { StartupError } from "./startup-error.ts";

const CAUSES: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EROFS: "the file system is read-only",
  EACCES: "this account may not write there",
  EPERM: "this account may not write there",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "a file is in its place",
  EIO: "the disk reports an error",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

/**
 * Converts a file system error to a `StartupError` with a message such as "Cannot write to /data (ENOSPC: the disk is
 * full)". Returns other errors unchanged.
 *
 * @param path the path to report if the error contains no path
 * @param remedy a sentence with the action that the operator can take
 */
export async function explainFileError(error: unknown, path: string, remedy: string): Promise<unknown> {
  if (!isFileError(error)) return error;
  const place = error.path ?? path;
  const code = (error.code === "ENOENT" ? await findWriteFault(place) : undefined) ?? error.code;
  const cause = CAUSES[code];
  return new StartupError(
    `Cannot write to ${place} (${cause === undefined ? code : `${code}: ${cause}`}). ${remedy}`,
    { cause: error },
  );
}

function isFileError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  if (error instanceof StartupError || !(error instanceof Error)) return false;
  const { code, syscall }: NodeJS.ErrnoException = error;
  // Errors of sockets and child processes also have these fields, so they are excluded by their system call.
  return code !== undefined && syscall !== undefined && !/^(connect|listen|bind|spawn|kill)/.test(syscall);
}

/**
 * Finds the error code for which no folder can be created at `path`, because a recursive `mkdir` reports ENOENT for
 * every cause. Returns `undefined` if the folder can be created.
 */
async function findWriteFault(path: string): Promise<string | undefined> {
  try {
    await mkdir(path);
    await rmdir(path);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" && dirname(path) !== path ? findWriteFault(dirname(path)) : code;
  }
}
