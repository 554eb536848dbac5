import { createHash, randomBytes } from "node:crypto";
import type { AcquireRequest, LockRequest, ReleaseRequest, RenewRequest } from "../../formats/lock-writer.ts";
import { formatReservedOwner } from "./reserved-owner.ts";
import type { AcquireOptions, ReleaseOptions, RenewOptions } from "./verbs.ts";

type RequestIdentity = Pick<AcquireOptions, "requestId" | "format" | "principal">;

/** Names each request: with the caller's id and a digest of what it asks, or with an id of our own. */
export class RequestFactory {
  readonly #process = randomBytes(6).toString("base64url");
  #count = 0;

  createAcquireRequest(options: AcquireOptions): AcquireRequest {
    const { owner, leaseMs, reentrant, record, graceMs = 0, minHoldMs = 0, unit = "ms" } = options;
    const ask = { owner, leaseMs, reentrant, record, graceMs, minHoldMs, unit };
    const { id, digest, principal } = this.#identify(options, "acquire", ask);
    return { owner, leaseMs, reentrant, record, graceMs, minHoldMs, unit, id, digest, principal };
  }

  createRenewRequest(options: RenewOptions): RenewRequest {
    const { owner, leaseMs } = options;
    return { owner, leaseMs, ...this.#identify(options, "renew", { owner, leaseMs }) };
  }

  createReleaseRequest(options: ReleaseOptions): ReleaseRequest {
    const { owner, reservedMs } = options;
    const reservation =
      reservedMs === undefined ? undefined : { owner: formatReservedOwner(owner), reservedMs };
    const { id, digest, principal } = this.#identify(options, "release", { owner, reservedMs });
    return { owner, reservation, id, digest, principal };
  }

  #identify(
    { requestId: id, format = "redisson", principal }: RequestIdentity,
    verb: string,
    content: object,
  ): LockRequest {
    if (id === undefined) return { id: `${this.#process}.${++this.#count}`, digest: "-", principal };
    // Nobody is told what another one's request of this id came to.
    const by = principal === undefined ? [] : [principal];
    const text = JSON.stringify([verb, format, content, ...by]);
    return { id, principal, digest: createHash("sha256").update(text).digest("base64url").slice(0, 16) };
  }
}
