import { destination, type Logger, pino } from "pino";
import type { Config } from "./config/config.ts";

/**
 * Characters that JSON does not escape but terminals and editors interpret: C1 controls, Unicode line breaks and
 * direction marks.
 */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Paths that can contain secrets. Redis errors contain the command, which can be AUTH. Cluster and Sentinel errors
 * contain nested errors.
 */
const REDACTED_PATHS = [
  ...["*.password", "*.authorization", "*.cookie"],
  ...["err.command", "err.*.command", "err.aggregateErrors[*].command"],
];

/**
 * Creates a logger that writes JSON lines to standard error. Fields that can contain secrets are removed, and control
 * characters are escaped so that input cannot forge a line.
 */
export function createLogger(config: Config): Logger {
  const redact = { paths: REDACTED_PATHS, remove: true };
  const standardError = destination({ fd: 2, sync: true });
  const write = (line: string) => void standardError.write(line.replace(CONTROL_CHARACTERS, escapeCharacter));
  return pino({ level: config.logLevel, base: null, redact }, { write });
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
