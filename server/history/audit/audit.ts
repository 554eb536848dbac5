import { randomBytes } from "node:crypto";
import { AGENT_CHARACTERS_MAX, type AuditOutcome } from "../../../lib/contract/audit.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { AuditLog, NewIntent } from "./audit-log.ts";
import { type Refusal, RefusalCounter } from "./refusal-counter.ts";

/** Maximum length of a text: longer than any valid owner or reason and any error detail. */
const TEXT_CHARACTERS_MAX = 1024;
const OWNERS_MAX = 20;
/**
 * Maximum size of the details of an action, in bytes of JSON. It allows the longest list of rules that the API accepts,
 * in any script.
 */
export const DETAILS_BYTES_MAX = 131_072;

/** What a route adds to the audit record of a call: the action, and the state that its caller saw. */
export type AuditFacts = Pick<NewIntent, "action" | "seen" | "reason" | "details">;

/** The facts that are recorded for every call. */
export type AuditedCall = Pick<NewIntent, "requestId" | "who" | "from" | "target" | "key" | "keyBase64">;

/** An action whose intent has been written. */
export interface AuditedAction {
  /** Records the outcome. Only the first call counts. The response does not wait for the write. */
  end(outcome: AuditOutcome): void;
}

/** Records operator actions: an intent before the action, and its outcome after it. */
export class Audit {
  readonly #refusals: RefusalCounter;

  constructor(private readonly log: Pick<AuditLog, "begin" | "end" | "add" | "stop">) {
    this.#refusals = new RefusalCounter(log);
  }

  /**
   * Records the intent of an action. Resolves when it is written.
   *
   * @throws LockkeeperError `unavailable` if the intent was not written; the action must then not be performed
   * @throws LockkeeperError `invalid` if the details are too long, because changes by an administrator are never
   * recorded in part
   */
  async beginAction(call: AuditedCall, facts: AuditFacts): Promise<AuditedAction> {
    assertRecordable(facts.details);
    // Keeps the chain in chronological order: failed logins precede the successful one.
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

  /** Records a request that was refused before an action started. Repeated refusals are counted in one entry. */
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
 * Asserts that the details are short enough to be recorded in full.
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
 * Truncates details that are too long, so that an outcome is always recorded. None of the existing actions comes near
 * the limit.
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
