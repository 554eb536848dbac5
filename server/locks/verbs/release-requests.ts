import { randomBytes } from "node:crypto";
import { getSemaphoreKind, isWritableFormat } from "../../../lib/contract/format.ts";
import type { ReleaseRequest } from "../../../lib/contract/holds/release-request.ts";
import { formatKey } from "../../../lib/keys/key.ts";
import { ChangedError } from "../../errors/operator-errors.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import type { RequestReleaseReply } from "../../formats/release-request.ts";
import type { Commands } from "../../redis/commands.ts";
import { attempt } from "./attempt.ts";
import type { VerbHold } from "./contract/grant.ts";
import type { ReleaseRequestAnswer, RequestReleaseOptions } from "./contract/verbs.ts";
import { createLostError, createNotOwnerError } from "./error-factories.ts";
import { toRecordText } from "./input/caller-texts.ts";

/**
 * Asks the client of a hold to release the hold. Each call creates a request with a new id, which stays the same when
 * the script is retried after a lost reply.
 *
 * @returns the outcome `unsupported` if another library acquired the hold
 * @throws LockkeeperError unavailable, unknown_outcome
 */
export async function requestReleaseOfHold(
  redis: Commands,
  channel: string,
  { key, format, kind }: Pick<HeldObservation, "key" | "format" | "kind">,
  { token, role, fence, kind: ownKind }: SeenHolder,
  { by, reason }: RequestReleaseOptions,
): Promise<RequestReleaseReply> {
  if (fence === null || !isWritableFormat(format)) return { outcome: "unsupported" };
  const requestId = `rr_${randomBytes(9).toString("base64url")}`;
  const ask = { token: formatKey(token), fence, requestId, by, reason: toRecordText(reason) };
  // The verbs treat the other kinds of Redisson as plain locks.
  const written = kind === "semaphore" ? getSemaphoreKind(ownKind) : format === "redisson" ? role : undefined;
  const writer = getLockWriter({ format, kind: written });
  return await attempt(redis, () => writer.requestRelease(redis, channel, key, ask));
}

/**
 * Stores the answer to a release request.
 *
 * @throws LockkeeperError changed, lost, not_owner, unavailable, unknown_outcome
 */
export async function answerReleaseRequest(
  redis: Commands,
  channel: string,
  hold: VerbHold,
  { requestId, answer, text = "" }: ReleaseRequestAnswer,
): Promise<ReleaseRequest> {
  const { key, token, fence, principal } = hold;
  const stored = toRecordText(text) || undefined;
  const ask = { token, fence, principal, requestId, answer, text: stored };
  const reply = await attempt(redis, () =>
    getLockWriter(hold).answerReleaseRequest(redis, channel, key, ask),
  );
  if (reply.outcome === "answered") return reply.request;
  if (reply.outcome === "not_owner") throw createNotOwnerError(key);
  if (reply.outcome === "lost") throw createLostError(key, undefined);
  throw new ChangedError(
    "This release request was answered differently, or a newer one has replaced it. Renew the hold to read the current one.",
    {},
  );
}
