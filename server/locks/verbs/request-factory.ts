import { createHash, randomBytes, randomUUID } from "node:crypto";
import { isSemaphoreKind, isSharedKind, type WritableKind } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ConditionRequest } from "../../formats/conditions/condition-scripts.ts";
import { WRITE_SUFFIX } from "../../formats/kind-keys.ts";
import type {
  AcquireRequest,
  LockRequest,
  ReleaseRequest,
  RenewRequest,
} from "../../formats/lock-requests.ts";
import type { WaitDeclaration } from "../../formats/wait-declaration.ts";
import type { HoldCaller, VerbHold } from "./contract/grant.ts";
import type { AcquireOptions, ReleaseOptions, RenewOptions } from "./contract/verbs.ts";
import { formatReservedOwner } from "./input/reserved-owner.ts";

export interface RequestIdentity extends HoldCaller {
  readonly requestId?: string | undefined;
}

/**
 * Creates the requests of the verbs, with their ids and tokens. A new token is `<clientId>:<number>`, with a suffix for
 * writers, and identifies a single hold. It is created before the request is sent and never reused. Tokens have the
 * form of Redisson's owners, so that other libraries see an ordinary holder.
 */
export class RequestFactory {
  /** The UUID of this client. */
  readonly clientId: string = randomUUID();
  readonly #process = randomBytes(6).toString("base64url");
  #requestCount = 0;
  #tokenCount = 0;

  createToken(kind?: WritableKind): string {
    return `${this.clientId}:${++this.#tokenCount}${kind === "write" ? WRITE_SUFFIX : ""}`;
  }

  /** @param token the token of the hold; a new one by default */
  createAcquireRequest(options: AcquireOptions, token?: string): AcquireRequest {
    const ask = toLockContent(options);
    const identity = this.#identify(options, [
      "acquire",
      options.format ?? "redisson",
      ask,
      ...listKind(options),
    ]);
    // Every field is listed, because a spread costs as much as the rest of the method.
    const request: AcquireRequest = {
      token: token ?? deriveSharedToken(options) ?? this.createToken(options.kind),
      owner: ask.owner,
      leaseMs: ask.leaseMs,
      record: ask.record,
      renewEveryMs: ask.renewEveryMs,
      graceMs: ask.graceMs,
      minHoldMs: ask.minHoldMs,
      unit: ask.unit,
      receivesReleaseRequests: ask.receivesReleaseRequests,
      id: identity.id,
      digest: identity.digest,
      principal: identity.principal,
    };
    return options.kind === undefined ? request : { ...request, ...toKindFields(options, identity) };
  }

  /**
   * Creates a waiter's declaration of its holds and its deadlock behavior; returns `undefined` if the options contain
   * no holds and `onDeadlock` is `report`.
   */
  createDeclaration({
    holding = [],
    onDeadlock = "report",
    principal,
  }: Pick<AcquireOptions, "holding" | "onDeadlock" | "principal">): WaitDeclaration | undefined {
    if (holding.length === 0 && onDeadlock === "report") return undefined;
    return { onDeadlock, waitId: `${this.#process}.${++this.#requestCount}`, principal, holding };
  }

  /**
   * Creates a request for several locks, without the tokens, which differ per lock.
   *
   * @param keys the keys, in byte order
   */
  createAcquireAllRequest(keys: readonly Key[], options: AcquireOptions): Omit<AcquireRequest, "token"> {
    const ask = toLockContent(options);
    const content = ["acquire_all", options.format ?? "redisson", ask, keys];
    return { ...ask, ...this.#identify(options, content) };
  }

  /** Creates the request for a renewal or a re-entry. */
  createRenewRequest(verb: "renew" | "reenter", hold: VerbHold, options: RenewOptions): RenewRequest {
    const { token, fence, principal } = hold;
    const { leaseMs, requestId } = options;
    const receivesReleaseRequests = options.receivesReleaseRequests || undefined;
    const content = [verb, hold.format, { token, fence, leaseMs, receivesReleaseRequests }];
    return {
      token,
      fence,
      leaseMs,
      receivesReleaseRequests,
      ...this.#identify({ principal, requestId }, content),
    };
  }

  /** Creates a request to wait for a condition of a lock, or to signal the condition. */
  createConditionRequest(
    verb: "await" | "signal" | "signal_all",
    hold: VerbHold,
    condition: string,
    { requestId }: RequestIdentity,
  ): ConditionRequest {
    const { token, fence, principal } = hold;
    const content = [verb, hold.format, { token, fence, condition }];
    return { token, fence, condition, ...this.#identify({ principal, requestId }, content) };
  }

  /** Creates the request that ends a wait for a condition and restores the hold that the client gave up. */
  createReacquireRequest(
    { id, digest, principal }: ConditionRequest,
    { owner, leaseMs }: Pick<AcquireRequest, "owner" | "leaseMs">,
    isNamed: boolean,
  ): AcquireRequest {
    return {
      token: this.createToken(),
      // Any instance may continue the wait.
      waiterId: isNamed ? deriveToken("fair", id) : undefined,
      ...{ id, digest, principal, owner, leaseMs, record: undefined },
      ...{ graceMs: 0, minHoldMs: 0, unit: "ms", restores: id },
    };
  }

  createReleaseRequest(hold: VerbHold, { reservedMs, requestId }: ReleaseOptions = {}): ReleaseRequest {
    const { token, fence, principal, owner } = hold;
    const reservation =
      reservedMs === undefined ? undefined : { owner: formatReservedOwner(owner ?? token), reservedMs };
    const content = ["release", hold.format, { token, fence, reservedMs }];
    const { id, digest } = this.#identify({ principal, requestId }, content);
    return { token, fence, reservation, id, digest, principal };
  }

  /** Creates the identity of a request that has no other fields. */
  createPlainRequest(verb: string, caller: RequestIdentity, content: unknown = null): LockRequest {
    return this.#identify(caller, [verb, content]);
  }

  /**
   * Creates a release that ends the hold of an acquire request. The release also prevents Redis from executing that
   * acquire request later.
   */
  createAbandonRequest({ token, principal, id: acquiredBy }: AcquireRequest): ReleaseRequest {
    return { token, fence: undefined, acquiredBy, ...this.#identify({ principal }, []) };
  }

  #identify({ requestId, principal }: RequestIdentity, content: readonly unknown[]): LockRequest {
    if (requestId === undefined)
      return { id: `${this.#process}.${++this.#requestCount}`, digest: "-", principal };
    return {
      id: scopeRequestId(requestId, principal),
      principal,
      digest: digestText(JSON.stringify(content)),
    };
  }
}

/**
 * Derives the token of a hold from the request id if several holds can share the key. Returns `undefined` for other
 * kinds of lock and without a request id: the caller then creates a new token. The token is part of the companion's
 * name, which a repeated request must find from any instance.
 */
export function deriveSharedToken({
  kind,
  requestId,
  principal,
}: Pick<AcquireOptions, "kind" | "requestId" | "principal">): string | undefined {
  if (!isSharedKind(kind) || requestId === undefined) return undefined;
  return deriveToken("token", scopeRequestId(requestId, principal));
}

/** Returns the request fields that are specific to the kind of lock. */
function toKindFields(options: AcquireOptions, { id }: LockRequest): Partial<AcquireRequest> {
  const { kind, requestId, yieldsToWriters } = options;
  if (isSemaphoreKind(kind)) return toPermits(options);
  if (kind === "read") return { yieldsToWriters };
  // Any instance may repeat the request, and must then find the same place in the queue.
  if (kind === "fair" && requestId !== undefined) return { waiterId: deriveToken("fair", id) };
  return {};
}

/** Derives a string of the form `<uuid>:<number>`, which Redisson's owners have. */
function deriveToken(purpose: string, id: string): string {
  const hash = createHash("sha256").update(`${purpose}\n${id}`).digest();
  const hex = hash.toString("hex", 0, 16);
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    "-",
  );
  return `${uuid}:${hash.readUInt32BE(16)}`;
}

/**
 * Returns the kind for the digest of a request. The list is empty for a plain lock, so that its digests are the same as
 * in earlier versions.
 */
function listKind(options: AcquireOptions): readonly unknown[] {
  const { kind = "lock" } = options;
  if (isSemaphoreKind(kind)) return [kind, toPermits(options)];
  return kind === "lock" ? [] : [kind];
}

function toPermits({ kind, permits = 1, limit }: AcquireOptions): Pick<AcquireRequest, "permits" | "limit"> {
  return isSemaphoreKind(kind) ? { permits, limit } : {};
}

function toLockContent(options: AcquireOptions) {
  const { owner, leaseMs, record, renewEveryMs, graceMs = 0, minHoldMs = 0, unit = "ms" } = options;
  // Omitted if false, so that the digest is the same as in earlier versions.
  const receivesReleaseRequests = options.receivesReleaseRequests || undefined;
  return { owner, leaseMs, record, renewEveryMs, graceMs, minHoldMs, unit, receivesReleaseRequests };
}

/**
 * Returns a request id that is specific to its principal, so that the same id from two principals identifies two
 * requests.
 */
export function scopeRequestId(requestId: string, principal: string | undefined): string {
  return principal === undefined ? requestId : digestText(`${principal}\n${requestId}`);
}

function digestText(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
