import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const USAGE =
  "Usage: npm run hostile -- [case …] [--quick] [--server FOLDER] [--rerun-failed] [--list]";

/** An error for an invalid command line. The message lists the valid values or shows the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Command {
  /** Names of the cases to run, in the order in which the cases are defined. */
  readonly cases: readonly string[];
  readonly quick: boolean;
  /** Root folder of the checkout whose server is attacked. */
  readonly checkout: string;
  /**
   * Whether to run failed cases once more, if there are at most two of them. Those that pass are then reported as
   * flaky.
   */
  readonly rerunFailed: boolean;
  /** Whether to print the names of the cases instead of running them. */
  readonly list: boolean;
}

/**
 * Parses the command line.
 *
 * @param known names of all cases
 * @param here root of this checkout
 * @throws UsageError
 */
export function parseCommand(argv: readonly string[], known: readonly string[], here: string): Command {
  const { positionals, values } = parseOptions(argv);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no case "${unknown}": ${known.join(", ")}.`);
  return {
    cases: known.filter((name) => positionals.length === 0 || positionals.includes(name)),
    quick: values.quick ?? false,
    checkout: values.server === undefined ? here : resolve(values.server),
    rerunFailed: values["rerun-failed"] ?? false,
    list: values.list ?? false,
  };
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        quick: { type: "boolean" },
        server: { type: "string" },
        "rerun-failed": { type: "boolean" },
        list: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}
