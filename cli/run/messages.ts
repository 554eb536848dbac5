import { writeSync } from "node:fs";
import { toPrintable } from "../output/printable.ts";

const STANDARD_ERROR = 2;

/**
 * Prints a line to standard error.
 *
 * Bypasses `process.stderr`, because Node makes a pipe non-blocking when it creates this stream. The command shares the
 * pipe, and its writes would then fail.
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
