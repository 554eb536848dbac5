import { resolve } from "node:path";
import { parseArgs } from "node:util";

export const USAGE =
  "Usage: npm run hostile -- [case …] [--quick] [--server FOLDER] [--rerun-failed] [--list]";

/** An invalid command line. The message says what would be valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Command {
  /** Names of the cases to run, in the order of the known ones. */
  readonly cases: readonly string[];
  readonly quick: boolean;
  /** Root of the checkout whose server is attacked. */
  readonly checkout: string;
  /** Run up to two failed cases once more, and report those that pass then as flaky. */
  readonly rerunFailed: boolean;
  /** Print the names of the cases instead of running them. */
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
