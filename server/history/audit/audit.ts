import { randomBytes } from "node:crypto";
import { AGENT_CHARACTERS_MAX, type AuditOutcome } from "../../../lib/contract/audit.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { AuditLog, NewIntent } from "./audit-log.ts";
import { type Refusal, RefusalCounter } from "./refusal-counter.ts";

/** Maximum length of a string in characters. Valid owners, reasons and error details are shorter. */
const TEXT_CHARACTERS_MAX = 1024;
const OWNERS_MAX = 20;
/**
 * Maximum size of the details of an action, in bytes of JSON. The longest list of rules that the API accepts fits, in
 * any script.
 */
export const DETAILS_BYTES_MAX = 131_072;

/** The part of an audit record that a route contributes: the action, and the state that the caller saw. */
export type AuditFacts = Pick<NewIntent, "action" | "seen" | "reason" | "details">;

/** The part of an audit record that is the same for every route. */
export type AuditedCall = Pick<NewIntent, "requestId" | "who" | "from" | "target" | "key" | "keyBase64">;

/** An action whose intent has been written. */
export interface AuditedAction {
  /** Records the outcome. Calls after the first have no effect. The response does not wait for the write. */
  end(outcome: AuditOutcome): void;
}

/** Records operator actions, with an intent before each action and its outcome afterwards. */
export class Audit {
  readonly #refusals: RefusalCounter;

  constructor(private readonly log: Pick<AuditLog, "begin" | "end" | "add" | "stop">) {
    this.#refusals = new RefusalCounter(log);
  }

  /**
   * Records the intent of an action, and resolves when it is written.
   *
   * @throws LockkeeperError `unavailable` if the intent was not written; do not perform the action then
   * @throws LockkeeperError `invalid` if the details are too long, because changes by an administrator are never
   *   recorded in part
   */
  async beginAction(call: AuditedCall, facts: AuditFacts): Promise<AuditedAction> {
    assertRecordable(facts.details);
    // Writes failed logins before the successful one, which keeps the chain in order of time.
    this.#refusals.flush(facts.action);
    const id = randomBytes(12).toString("base64url");
    await this.log.begin(truncateIntent({ id, ...call, ...facts }));
    let isOver = false;
    return {
      end: (outcome) => {
        if (isOver) return;
        isOver = true;
        this.log.end(id, truncateOutcome(outcome));
      },
    };
  }

  /** Records a request that was refused before an action started. One entry counts repeated refusals. */
  recordRefusal(refusal: Refusal): void {
    this.#refusals.countRefusal(refusal);
  }

  async stop(): Promise<void> {
    this.#refusals.flush();
    await this.log.stop();
  }
}

function truncateIntent({ from, seen, reason, details, ...intent }: NewIntent): NewIntent {
  const { address, agent } = from;
  return {
    ...intent,
    from: {
      ...(address === undefined ? {} : { address: address.slice(0, 64) }),
      ...(agent === undefined ? {} : { agent: agent.slice(0, AGENT_CHARACTERS_MAX) }),
    },
    ...(seen === undefined
      ? {}
      : {
          seen: {
            ...seen,
            ...(seen.owners && { owners: seen.owners.slice(0, OWNERS_MAX).map(truncateText) }),
          },
        }),
    ...(reason === undefined ? {} : { reason: truncateText(reason) }),
    ...(details === undefined ? {} : { details }),
  };
}

/**
 * Asserts that the details are short enough to record them in full.
 * @throws LockkeeperError `invalid` if they are too long
 */
function assertRecordable(details: AuditFacts["details"]): void {
  const bytes = measureDetails(details ?? {});
  if (bytes <= DETAILS_BYTES_MAX) return;
  throw new InvalidError(
    `This change is too long for the audit log: ${bytes} bytes (limit ${DETAILS_BYTES_MAX}). Nothing was changed. Split it into smaller changes.`,
    {},
  );
}

function truncateOutcome({ detail, owner, details, ...outcome }: AuditOutcome): AuditOutcome {
  return {
    ...outcome,
    ...(detail === undefined ? {} : { detail: truncateText(detail) }),
    ...(owner === undefined ? {} : { owner: truncateText(owner) }),
    ...(details === undefined ? {} : { details: truncateDetails(details) }),
  };
}

/**
 * Replaces details that are too long by their size, because an outcome must always be recorded. No existing action
 * comes near the limit.
 */
function truncateDetails(details: Record<string, unknown>): Record<string, unknown> {
  const bytes = measureDetails(details);
  return bytes <= DETAILS_BYTES_MAX ? details : { omittedBytes: bytes };
}

function measureDetails(details: Record<string, unknown>): number {
  return Buffer.byteLength(JSON.stringify(details));
}

const truncateText = (text: string) =>
  text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX - 1)}…`;
