import { destination, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

/** Structured lines on standard error; secrets of requests never get into them. */
export function createLog(config: Config): Logger {
  const redact = { paths: ["*.password", "*.authorization", "*.cookie", "err.command"], remove: true };
  return pino({ level: config.logLevel, base: null, redact }, destination({ fd: 2, sync: true }));
}
