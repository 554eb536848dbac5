import { OWNER_CHARACTERS_MAX } from "../../../../lib/contract/actions/verb.ts";
import { type OwnerRecord, RECORD_TEXT_MAX, SESSION_TEXT_MAX } from "../../../../lib/contract/lock.ts";
import { InvalidError } from "../../../errors/request-errors.ts";
import { findOwnerFault, findTextFault } from "./owner-fault.ts";

/**
 * Strings from a caller that scripts store in the companion. Line breaks and tabs separate the fields of the companion.
 */
export interface CallerTexts {
  readonly owner?: string | undefined;
  readonly principal?: string | undefined;
  readonly requestId?: string | undefined;
  readonly record?: OwnerRecord | undefined;
}

// Nearly all principals match this pattern, which is cheaper than the complete test.
const PLAIN_TEXT = new RegExp(`^[!-~]{1,${OWNER_CHARACTERS_MAX}}$`);
const REQUEST_ID = /^[!-~]{1,128}$/;
const CONTROL_CHARACTER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const CONTROL_CHARACTERS = new RegExp(CONTROL_CHARACTER, "gu");

/**
 * Checks the strings of a request before a script stores them. A line break or tab would change the meaning of the
 * companion, and a long string would make the companion exceed the read limit.
 *
 * @throws InvalidError
 */
export function assertCallerTexts({ owner, principal, requestId, record }: CallerTexts): void {
  if (owner !== undefined) refuse("owner", findOwnerFault(owner));
  if (principal !== undefined && !PLAIN_TEXT.test(principal))
    refuse("principal", findTextFault("principal", principal));
  if (requestId !== undefined && !REQUEST_ID.test(requestId))
    refuse("requestId", "requestId must have 1 to 128 visible ASCII characters");
  if (record !== undefined) assertRecord(record);
}

/**
 * Shortens a string to the limit for records, replaces control characters and line breaks with spaces, and trims it.
 */
export function toRecordText(reason: string): string {
  return reason.slice(0, RECORD_TEXT_MAX).replaceAll(CONTROL_CHARACTERS, " ").trim();
}

function assertRecord(record: OwnerRecord): void {
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined || (typeof value === "number" && name === "pid")) continue;
    const field = `record.${name}`;
    if (!RECORD_TEXTS.has(name) || typeof value !== "string")
      refuse(field, `${field} is not a text field of a record`);
    else if (value.length > getTextMax(name))
      refuse(field, `${field} has more than ${getTextMax(name)} characters`);
    else if (CONTROL_CHARACTER.test(value))
      refuse(field, `${field} has a control character or a line break; remove it`);
  }
}

const getTextMax = (name: string) => (name === "session" ? SESSION_TEXT_MAX : RECORD_TEXT_MAX);

const RECORD_TEXTS: ReadonlySet<string> = new Set(["service", "host", "purpose", "trace", "session"]);

function refuse(field: string, fault: string | undefined): void {
  if (fault !== undefined) throw new InvalidError(`${fault}.`, { field });
}
