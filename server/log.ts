import { destination, type Logger, pino } from "pino";
import type { Config } from "./config/config.ts";

/** What JSON leaves as it is and a terminal or an editor obeys: controls of eight bits, other breaks of lines, marks of direction. */
const CONTROL_CHARACTERS = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Errors of Redis name the command, AUTH among them; those of a cluster or of Sentinels have others within. */
const REDACTED_PATHS = [
  ...["*.password", "*.authorization", "*.cookie"],
  ...["err.command", "err.*.command", "err.aggregateErrors[*].command"],
];

/** Structured lines on standard error; secrets of requests never get into them, nor what would forge a line. */
export function createLogger(config: Config): Logger {
  const redact = { paths: REDACTED_PATHS, remove: true };
  const standardError = destination({ fd: 2, sync: true });
  const write = (line: string) => void standardError.write(line.replace(CONTROL_CHARACTERS, escapeCharacter));
  return pino({ level: config.logLevel, base: null, redact }, { write });
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
