import type { ForceReleaseInput } from "../../lib/contract/actions/force-release.ts";
import type { FormatName } from "../../lib/contract/format.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { FORMAT_FACTS } from "../../lib/formats/format-catalogue.ts";
import { FormatRequiredError, ReadOnlyError } from "../errors/operator-errors.ts";
import { InvalidError } from "../errors/request-errors.ts";

/**
 * Returns the format whose rules apply to the force-release of a lock: the format in the request, or the lock's own
 * format if the request does not specify a format. If the lock's format is ambiguous, the request must specify one.
 *
 * @throws LockkeeperError read_only, format_required, invalid (for example, if the requested format is not permitted)
 */
export function chooseReleaseFormat(
  lock: Lock,
  request: Pick<ForceReleaseInput, "format" | "reservedMs">,
): FormatName {
  const { format: known, release } = lock;
  if (known === null || release === null) throw new Error("a free key has no hold to release");
  const { may, why = "", instead, formats } = release;
  if (may === "never") {
    const what = instead === undefined ? "" : ` ${instead}`;
    throw new ReadOnlyError(
      `Locks of ${FORMAT_FACTS[known].label} cannot be force-released. ${why}${what}`,
      instead === undefined ? { why } : { why, instead },
    );
  }
  if (request.reservedMs !== undefined && !release.reservable) {
    throw new InvalidError(
      `Body, reservedMs: locks of ${FORMAT_FACTS[known].label} cannot be reserved. Omit reservedMs to release the lock.`,
      { field: "reservedMs" },
    );
  }
  if (may === "with_format" && request.format === undefined) {
    throw new FormatRequiredError(`${why} Send one of these as \`format\`: ${formats.join(", ")}.`, {
      formats,
      lock,
    });
  }
  const allowed = may === "with_format" ? formats : listAllowedFormats(known, lock);
  if (request.format !== undefined && !allowed.includes(request.format)) {
    throw new InvalidError(
      `Body, format: this lock can be released as ${allowed.join(", ")}, not as ${request.format}.`,
      { field: "format" },
    );
  }
  return request.format ?? known;
}

/**
 * Lists the formats that a force-release of the lock may use. For a string whose deadline has passed, `token` is
 * included, because to clients that use `SET NX`, the deadline is an ordinary string that blocks them.
 */
function listAllowedFormats(known: FormatName, { state, type, candidates }: Lock): FormatName[] {
  const others = state === "ended" && type === "string" ? [...candidates, "token" as const] : candidates;
  return [known, ...others.filter(isReleasable)];
}

const isReleasable = (format: FormatName) => FORMAT_FACTS[format].never === undefined;
