import { randomBytes } from "node:crypto";
import { AGENT_CHARACTERS_MAX, type AuditOutcome } from "../../../lib/contract/audit.ts";
import { InvalidError } from "../../errors/request-errors.ts";
import type { AuditLog, NewIntent } from "./audit-log.ts";
import { type Refusal, RefusalCounter } from "./refusal-counter.ts";

/** An owner, a reason or the detail of an error is shorter. */
const TEXT_CHARACTERS_MAX = 1024;
const OWNERS_MAX = 20;
/** The longest list of rules that the API takes fits, as text in any script. */
export const DETAILS_BYTES_MAX = 131_072;

/** What a route says of a call: what is meant, and what its caller had seen. */
export type AuditFacts = Pick<NewIntent, "action" | "seen" | "reason" | "details">;

/** What is known of any call. */
export type AuditedCall = Pick<NewIntent, "requestId" | "who" | "from" | "target" | "key" | "keyBase64">;

/** An action whose intent is written. */
export interface AuditedAction {
  /** What came of it; the first one counts. It is written soon, and the answer does not wait for it. */
  end(outcome: AuditOutcome): void;
}

/** Who did what: written before it is done, and again with what came of it. */
export class Audit {
  readonly #refusals: RefusalCounter;

  constructor(private readonly log: Pick<AuditLog, "begin" | "end" | "add" | "stop">) {
    this.#refusals = new RefusalCounter(log);
  }

  /**
   * Resolves when the intent is written.
   *
   * @throws LockkeeperError unavailable: it is not, and the action must not happen. invalid: it has details that cannot
   * be recorded whole; nothing that an administrator changes is left out of the record
   */
  async beginAction(call: AuditedCall, facts: AuditFacts): Promise<AuditedAction> {
    assertRecordable(facts.details);
    // Entries stand in the order of what happened: failed logins before the one that succeeded.
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

/** @throws LockkeeperError invalid */
function assertRecordable(details: AuditFacts["details"]): void {
  const bytes = measureDetails(details ?? {});
  if (bytes <= DETAILS_BYTES_MAX) return;
  throw new InvalidError(
    `This change is too long for the audit: ${bytes} bytes, ${DETAILS_BYTES_MAX} at most. Nothing was done; split it into smaller changes.`,
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

/** What an action did is recorded even where it is too long: nothing of ours comes near. */
function truncateDetails(details: Record<string, unknown>): Record<string, unknown> {
  const bytes = measureDetails(details);
  return bytes <= DETAILS_BYTES_MAX ? details : { omittedBytes: bytes };
}

function measureDetails(details: Record<string, unknown>): number {
  return Buffer.byteLength(JSON.stringify(details));
}

const truncateText = (text: string) =>
  text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX - 1)}…`;
