import { writeSync } from "node:fs";
import { toPrintable } from "../output/printable.ts";

const STANDARD_ERROR = 2;

/**
 * Prints a line to standard error.
 *
 * Bypasses `process.stderr`, because creating that stream makes a pipe non-blocking for every process that shares it,
 * and the writes of the command would then fail.
 */
export function printMessage(text: string): void {
  try {
    writeSync(STANDARD_ERROR, `lockkeeper: ${toPrintable(text)}\n`);
  } catch {
    // The reader of standard error is gone. The command continues.
  }
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
