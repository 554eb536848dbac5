import { createHash, randomBytes } from "node:crypto";
import type { AcquireRequest, ReleaseRequest, RenewRequest, Request } from "../../formats/lock-writer.ts";
import { reservedOwner } from "./reserved-owner.ts";
import type { AcquireOptions, ReleaseOptions, RenewOptions } from "./verbs.ts";

type Named = Pick<AcquireOptions, "requestId" | "format" | "principal">;

/** Names each request: with the caller's id and a digest of what it asks, or with an id of our own. */
export class Requests {
  readonly #process = randomBytes(6).toString("base64url");
  #count = 0;

  acquire(options: AcquireOptions): AcquireRequest {
    const { owner, leaseMs, reentrant, record, graceMs = 0, minHoldMs = 0, unit = "ms" } = options;
    const ask = { owner, leaseMs, reentrant, record, graceMs, minHoldMs, unit };
    const { id, digest, principal } = this.#named(options, "acquire", ask);
    return { owner, leaseMs, reentrant, record, graceMs, minHoldMs, unit, id, digest, principal };
  }

  renew(options: RenewOptions): RenewRequest {
    const { owner, leaseMs } = options;
    return { owner, leaseMs, ...this.#named(options, "renew", { owner, leaseMs }) };
  }

  release(options: ReleaseOptions): ReleaseRequest {
    const { owner, holdOffMs } = options;
    const holdOff = holdOffMs === undefined ? undefined : { owner: reservedOwner(owner), holdOffMs };
    const { id, digest, principal } = this.#named(options, "release", { owner, holdOffMs });
    return { owner, holdOff, id, digest, principal };
  }

  #named({ requestId: id, format = "redisson", principal }: Named, verb: string, content: object): Request {
    if (id === undefined) return { id: `${this.#process}.${++this.#count}`, digest: "-", principal };
    // Nobody is told what another one's request of this id came to.
    const by = principal === undefined ? [] : [principal];
    const text = JSON.stringify([verb, format, content, ...by]);
    return { id, principal, digest: createHash("sha256").update(text).digest("base64url").slice(0, 16) };
  }
}
