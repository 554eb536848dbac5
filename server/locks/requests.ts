import { createHash, randomBytes } from "node:crypto";
import type { AcquireRequest, ReleaseRequest, RenewRequest, Request } from "../formats/format.ts";
import { reservedOwner } from "./reserve.ts";
import type { AcquireOptions, ReleaseOptions, RenewOptions } from "./verbs.ts";

/** Names each request: with the caller's id and a digest of what it asks, or with an id of our own. */
export class Requests {
  readonly #process = randomBytes(6).toString("base64url");
  #count = 0;

  acquire(options: AcquireOptions): AcquireRequest {
    const { owner, leaseMs, reentrant, record, graceMs = 0, minHoldMs = 0, unit = "ms" } = options;
    const ask = { owner, leaseMs, reentrant, record, graceMs, minHoldMs, unit };
    return { ...ask, ...this.#named(options.requestId, "acquire", ask) };
  }

  renew({ owner, leaseMs, requestId }: RenewOptions): RenewRequest {
    return { owner, leaseMs, ...this.#named(requestId, "renew", { owner, leaseMs }) };
  }

  release({ owner, holdOffMs, requestId }: ReleaseOptions): ReleaseRequest {
    const holdOff = holdOffMs === undefined ? undefined : { owner: reservedOwner(owner), holdOffMs };
    return { owner, holdOff, ...this.#named(requestId, "release", { owner, holdOffMs }) };
  }

  #named(id: string | undefined, verb: string, content: object): Request {
    if (id === undefined) return { id: `${this.#process}.${++this.#count}`, digest: "-" };
    const text = JSON.stringify([verb, content]);
    return { id, digest: createHash("sha256").update(text).digest("base64url").slice(0, 16) };
  }
}
