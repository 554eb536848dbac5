import { reservedFor } from "../../../lib/contract/actions/reservation.ts";
import { FORMAT_NAMES, type FormatName } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { HeldObservation } from "../../formats/observation.ts";

/** Who prolongs a lease by itself, and after which share of it. */
export interface Renewal {
  readonly who: "all" | "some" | "none";
  readonly afterShare: number;
}

/** A hold that is seen to be prolonged although its library never does so by itself is judged by this. */
const BY_HAND = 1 / 2;
/** A library that makes its lock again does so by its timer; one without a timer does so at once or by chance. */
const REMAKING_MS_MIN = 1000;
const NEVER: Renewal = { who: "none", afterShare: BY_HAND };
/** The watchdog of our own library, in every format. */
const OURS: Renewal = { who: "some", afterShare: 1 / 3 };

const BY_DEFAULT = Object.fromEntries(
  FORMAT_NAMES.map((format) => {
    const { renews } = FORMAT_FACTS[format];
    return [format, renews.who === "none" ? NEVER : renews];
  }),
) as Readonly<Record<FormatName, Renewal>>;

/** What is expected of a hold, as far as its formats allow: where several are possible, the most patient. */
export function renewalOf({ format, candidates, holders: [first] }: HeldObservation): Renewal {
  if (reservedFor(first.owner) !== undefined) return NEVER;
  if (first.fence !== null) return OURS;
  return candidates.length === 0 ? BY_DEFAULT[format] : mostPatient([format, ...candidates]);
}

/** For how long after a lock was freed its library may make it again. */
export function remakingMsOf(seen: HeldObservation, leaseMs: number | null): number {
  return Math.max(REMAKING_MS_MIN, Math.round((leaseMs ?? 0) * renewalOf(seen).afterShare));
}

function mostPatient(formats: readonly FormatName[]): Renewal {
  const each = formats.map((format) => BY_DEFAULT[format]);
  const shares = each.flatMap(({ who, afterShare }) => (who === "none" ? [] : [afterShare]));
  if (shares.length === 0) return NEVER;
  const who = each.every((one) => one.who === "all") ? "all" : "some";
  return { who, afterShare: Math.max(...shares) };
}
