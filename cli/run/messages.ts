import { writeSync } from "node:fs";
import { toPrintable } from "../output/printable.ts";

const STANDARD_ERROR = 2;

/**
 * Prints a line with the prefix `lockkeeper: ` to standard error. Ignores errors.
 *
 * Bypasses `process.stderr`. If standard error is a pipe, creating that stream makes the pipe non-blocking, and writes
 * by the command, which shares the pipe, could fail.
 */
export function printMessage(text: string): void {
  try {
    writeSync(STANDARD_ERROR, `lockkeeper: ${toPrintable(text)}\n`);
  } catch {
    // The reader of standard error has exited. The command continues.
  }
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
