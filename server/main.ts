import { readConfig } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { serve } from "./serve.ts";

void serve({
  output: {
    hasTerminal: process.stdout.isTTY === true,
    printLine: (line) => void process.stdout.write(`${line}\n`),
  },
  prepare: () => readConfig(),
  reportFailure(error) {
    const line = error instanceof StartupError ? `Lockkeeper cannot start: ${error.message}` : error;
    process.stderr.write(`${line instanceof Error ? (line.stack ?? line.message) : String(line)}\n`);
    return 1;
  },
});
