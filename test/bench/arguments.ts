import { parseArgs } from "node:util";
import type { Effort } from "./figure.ts";

/** The command line asks for something that is not there; the message says what is. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  override toString(): string {
    return this.message;
  }
}

export interface Request {
  readonly effort: Effort;
  /** In the order in which they are known. */
  readonly figures: readonly string[];
}

/**
 * @param known every figure, `group.name`
 * @param onDemand those of them that are measured only when they are named
 * @throws UsageError
 */
export function requestOf(
  argv: readonly string[],
  known: readonly string[],
  onDemand: readonly string[] = [],
): Request {
  const { positionals: groups, values } = parsed(argv);
  const only = values.only ?? [];
  const knownGroups = [...new Set(known.map(groupOf))];
  const strangeGroup = groups.find((group) => !knownGroups.includes(group));
  if (strangeGroup !== undefined) {
    throw new UsageError(`There is no group "${strangeGroup}": ${knownGroups.join(", ")}.`);
  }
  const inGroups = known.filter((figure) => groups.length === 0 || groups.includes(groupOf(figure)));
  const strange = only.find((figure) => !inGroups.includes(figure));
  if (strange !== undefined) {
    throw new UsageError(`There is no figure "${strange}": ${inGroups.join(", ")}.`);
  }
  return {
    effort: values.quick ? "quick" : "full",
    figures: inGroups.filter((figure) =>
      only.length === 0 ? !onDemand.includes(figure) : only.includes(figure),
    ),
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { quick: { type: "boolean" }, only: { type: "string", multiple: true } },
    });
  } catch {
    throw new UsageError("npm run bench -- [group …] [--only FIGURE …] [--quick]");
  }
}

function groupOf(figure: string): string {
  return figure.slice(0, figure.indexOf("."));
}
