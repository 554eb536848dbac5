import { randomBytes } from "node:crypto";
import { AGENT_CHARACTERS_MAX, type AuditOutcome } from "../../../lib/contract/audit.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { AuditLog, NewIntent } from "./audit-log.ts";
import { type Refusal, RefusalCounter } from "./refusal-counter.ts";

/**
 * Maximum length of a recorded string, in characters. Longer strings are truncated. Valid owners, reasons and error
 * details are shorter.
 */
const TEXT_CHARACTERS_MAX = 1024;
const OWNERS_MAX = 20;
/**
 * Maximum size of the details of an action, in bytes of JSON. Enough for the longest list of format rules that the API
 * accepts, even with non-ASCII characters.
 */
export const DETAILS_BYTES_MAX = 131_072;

/**
 * The fields of an intent that the route determines: the action, its reason and details, and the state that the caller
 * saw.
 */
export type AuditFacts = Pick<NewIntent, "action" | "seen" | "reason" | "details">;

/** The fields of an intent that are determined in the same way for every route. */
export type AuditedCall = Pick<NewIntent, "requestId" | "who" | "from" | "target" | "key" | "keyBase64">;

/** An action whose intent has been written. */
export interface AuditedAction {
  /** Records the outcome. Calls after the first have no effect. Returns before the outcome has been written. */
  end(outcome: AuditOutcome): void;
}

/** Records operator actions in the audit log, with an intent before each action and an outcome afterwards. */
export class Audit {
  readonly #refusals: RefusalCounter;

  constructor(private readonly log: Pick<AuditLog, "begin" | "end" | "add" | "stop">) {
    this.#refusals = new RefusalCounter(log);
  }

  /**
   * Records the intent of an action. Resolves when the intent has been written.
   *
   * @throws LockkeeperError `unavailable` if the intent was not written. In that case, the action must not be performed
   * @throws LockkeeperError `invalid` if the details are too long. The details of an intent are never truncated
   */
  async beginAction(call: AuditedCall, facts: AuditFacts): Promise<AuditedAction> {
    assertRecordable(facts.details);
    // Pending refusals of the same action, such as failed logins, are written before this intent, so that the chain
    // stays in order of time.
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

  /** Records a request that was refused before an action started. Repeated refusals are counted in a single entry. */
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
 * Replaces details that are too long with their size, because an outcome must always be recorded. The details of all
 * current actions are far below the limit.
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
