import { createInterface } from "node:readline/promises";
import { CliError } from "./cli-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { PLAIN_STYLE, type Style, TERMINAL_STYLE } from "./style.ts";

/** The terminal of the process. All members except `ask` also work if the process has no terminal. */
export interface Terminal {
  /** Style of standard output. Adds no styling if standard output is not a terminal or `NO_COLOR` is set. */
  readonly style: Style;
  /** Width of standard output in columns. `undefined` if standard output is not a terminal. */
  readonly columns: number | undefined;
  /** Whether `ask` can be used, which requires that standard input and standard error are terminals. */
  readonly canAsk: boolean;
  /**
   * Asks a question on standard error and returns the line that the user enters.
   *
   * @throws CliError if the user presses Ctrl-C or Ctrl-D
   */
  ask(question: string): Promise<string>;
  /** Replaces the progress line on standard error. Does nothing if standard error is not a terminal. */
  showProgress(text: string): void;
  /** Removes the progress line from standard error. */
  clearProgress(): void;
}

const ERASE_LINE = "\r\u001b[2K";

/** Creates the terminal of this process. @param color `never` to disable colors and bold or dim text */
export function createTerminal(color: "auto" | "never"): Terminal {
  const { stdin, stdout, stderr } = process;
  let hasProgress = false;
  const clearProgress = () => {
    if (hasProgress) stderr.write(ERASE_LINE);
    hasProgress = false;
  };
  return {
    style: stdout.isTTY === true && color === "auto" ? TERMINAL_STYLE : PLAIN_STYLE,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    async ask(question) {
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await lines.question(question);
      } catch (error) {
        if (!(error instanceof Error && error.name === "AbortError")) throw error;
        stderr.write("\n");
        throw new CliError("Canceled. Nothing was done.", EXIT_CODES.negative);
      } finally {
        lines.close();
      }
    },
    showProgress(text) {
      if (stderr.isTTY !== true) return;
      stderr.write(`${ERASE_LINE}${text.slice(0, Math.max(20, stderr.columns - 1))}`);
      hasProgress = true;
    },
    clearProgress,
  };
}
