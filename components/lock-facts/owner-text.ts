import { formatClock, formatDayClock } from "@/components/ui/format-duration.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { formatReservedHold, parseReservedHold } from "./lock-texts.ts";

export type OwnerMessages = Pick<
  Messages["lock"],
  "minimumHold" | "reservedBy" | "unknownDeadline" | "unknownConstant"
>;

/**
 * What an owner string contains. `identity`: a string that identifies the owner. `deadline`: the time at which the lock
 * expires (`endsAt`, in Unix milliseconds). `constant`: a value that all clients write, such as `1`.
 */
export type OwnerIdentity =
  | { readonly is: "identity" }
  | { readonly is: "deadline"; readonly endsAt: number }
  | { readonly is: "constant" };

const CONSTANT = /^(?:[01x]|true|yes|on|ok|lock|locked|acquired|none|null)$/i;
const UNIX_TIME = /^(\d{10})(?:\.\d{1,9})?$|^(\d{13})$/;
/** Numbers count as times if they are between 2017 and 2100. Any other number is an id. */
const DEADLINE_MIN_MS = 1_500_000_000_000;
const DEADLINE_MAX_MS = 4_102_444_800_000;
const DAY_CLOCK_AFTER_MS = 12 * 3_600_000;

export function identifyOwner(owner: string): OwnerIdentity {
  if (CONSTANT.test(owner)) return { is: "constant" };
  const [, seconds, milliseconds] = UNIX_TIME.exec(owner) ?? [];
  const endsAt = seconds === undefined ? Number(milliseconds) : Number(seconds) * 1000;
  return endsAt >= DEADLINE_MIN_MS && endsAt <= DEADLINE_MAX_MS
    ? { is: "deadline", endsAt }
    : { is: "identity" };
}

/** Describes an owner string that does not identify a client. Returns `null` if the string identifies its owner. */
export function formatUnknownOwner(owner: string, messages: OwnerMessages): string | null {
  const identity = identifyOwner(owner);
  if (identity.is === "identity") return null;
  if (identity.is === "constant") return messages.unknownConstant(owner);
  const isFar = Math.abs(identity.endsAt - Date.now()) > DAY_CLOCK_AFTER_MS;
  return messages.unknownDeadline(isFar ? formatDayClock(identity.endsAt) : formatClock(identity.endsAt));
}

/** Formats an owner string for one line. Describes reservations and unknown owners, and shortens random values. */
export function formatOwner(owner: string, messages: OwnerMessages): string {
  const reservation = parseReservedHold(owner);
  if (reservation !== null) return formatReservedHold(reservation, messages);
  return formatUnknownOwner(owner, messages) ?? shortenOwner(owner);
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const LONG_HEX = /(?<![0-9a-z])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{16,128}(?![0-9a-z])/gi;
/**
 * Matches the base64 encoding of at least 15 random bytes. Requires lower-case letters, upper-case letters and digits,
 * a combination that rarely occurs in names.
 */
const BASE64 = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/]{20,128}={0,2}$/;

/**
 * Replaces the middle of each random value in an owner string with an ellipsis: `8743c9c0…4586:42`,
 * `worker-3:8743c9c0…4586`.
 */
export function shortenOwner(owner: string): string {
  if (BASE64.test(owner)) return shortenRandomValue(owner.replace(/=+$/, ""));
  return owner.replace(UUID, shortenRandomValue).replace(LONG_HEX, shortenRandomValue);
}

const shortenRandomValue = (value: string) => `${value.slice(0, 8)}…${value.slice(-4)}`;
