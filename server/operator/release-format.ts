import type { ForceReleaseInput } from "../../lib/contract/actions/force-release.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { FORMAT_FACTS } from "../../lib/formats/format-catalogue.ts";
import { FormatRequiredError, ReadOnlyError } from "../errors/operator-errors.ts";
import { InvalidError } from "../errors/request-errors.ts";

/**
 * The format by whose rules a lock is freed: its own, or the one that the request names where its shape alone does not
 * tell.
 *
 * @throws LockkeeperError read_only, format_required, invalid
 */
export function chooseReleaseFormat(
  lock: Lock,
  ask: Pick<ForceReleaseInput, "format" | "reservedMs">,
): FormatName {
  const { format: known, release } = lock;
  if (known === null || release === null) throw new Error("a free key has nothing to be freed");
  const { may, why = "", instead, formats } = release;
  if (may === "never") {
    const what = instead === undefined ? "" : ` ${instead}`;
    throw new ReadOnlyError(
      `A lock of ${FORMAT_FACTS[known].label} is not freed by force. ${why}${what}`,
      instead === undefined ? { why } : { why, instead },
    );
  }
  if (ask.reservedMs !== undefined && !release.reservable) {
    throw new InvalidError(
      `Body, reservedMs: nobody can be kept off a lock of ${FORMAT_FACTS[known].label}. Leave it out to free the lock.`,
      { field: "reservedMs" },
    );
  }
  if (may === "with_format" && ask.format === undefined) {
    throw new FormatRequiredError(`${why} In \`format\`, one of: ${formats.join(", ")}.`, { formats, lock });
  }
  const allowed = may === "with_format" ? formats : listAllowedFormats(known, lock);
  if (ask.format !== undefined && !allowed.includes(ask.format)) {
    throw new InvalidError(
      `Body, format: this lock may be freed as ${allowed.join(", ")}, not as ${ask.format}.`,
      { field: "format" },
    );
  }
  return ask.format ?? known;
}

/** A deadline that has passed is an ordinary string to clients that use `SET NX`. */
function listAllowedFormats(known: FormatName, { state, type, candidates }: Lock): FormatName[] {
  const others = state === "ended" && type === "string" ? [...candidates, "token" as const] : candidates;
  return [known, ...others.filter(isReleasable)];
}

const isReleasable = (format: FormatName) => FORMAT_FACTS[format].never === undefined;
