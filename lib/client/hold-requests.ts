import { encodeKeyPath } from "../keys/key.ts";
import { ApiError } from "./api-error.ts";
import type { ApiRequest, ApiResponse, ApiTransport } from "./api-transport.ts";
import { createFieldError, type Grant, readGrant, readGrants, readHeld, readReleased } from "./grant.ts";
import type { HoldLease } from "./hold-lease.ts";
import type {
  AcquireAllOptions,
  AcquireOptions,
  Released,
  ReleaseOptions,
  SemaphorePermits,
} from "./hold-options.ts";
import { createIdempotencyKey } from "./idempotency-key.ts";
import { computeRenewalIntervalMs } from "./lease-renewer.ts";
import { readObject } from "./untrusted.ts";

/** The time limit of one attempt. The server responds within 2 s, so after that the response was lost. */
const TIMEOUT_MS = 2500;
/** How long to retry an acquire or a release after failures. */
const RETRY_MS = 5000;
/** How long to retry releasing a lock that was granted after its acquire was aborted. */
const ABANDON_MS = 2000;
/** The fractions of the lease and of its remaining time that one attempt may take, so that several attempts fit. */
const TRY_SHARE_OF_LEASE = 1 / 6;
const TRY_SHARE_OF_REST = 1 / 3;
const TRY_MS_MIN = 50;
const LEASE_MS_DEFAULT = 30_000;

export interface ReleaseRequestAnswer {
  readonly requestId: string;
  readonly answer: "accepted" | "refused";
  readonly text: string | undefined;
}

interface RenewalFields {
  readonly leaseMs: number;
  /** Whether this client reads release requests from now on. */
  readonly receivesReleaseRequests?: true;
}

type HoldVerb = "/renew" | "/downgrade" | "/answer-release-request";

/** The verbs of the API: builds their requests and reads their responses. */
export class HoldRequests {
  readonly #transport: ApiTransport;
  readonly #query: string;

  constructor(transport: ApiTransport, target: string | undefined) {
    this.#transport = transport;
    this.#query = target === undefined ? "" : `?target=${encodeURIComponent(target)}`;
  }

  /** @throws ApiError */
  async acquire(key: string, options: AcquireOptions): Promise<Grant> {
    const read = (response: ApiResponse) => [readGrant(response)] as const;
    const [grant] = await this.#acquire(this.#buildAcquirePath(key), {}, options, read);
    return grant;
  }

  /** Acquires all locks, or none of them. Returns the grants in the order of the keys. @throws ApiError */
  acquireAll(keys: readonly string[], options: AcquireAllOptions): Promise<Grant[]> {
    const path = `/locks/acquire${this.#query}`;
    return this.#acquire(path, { keys }, options, (response) => readGrants(keys, response));
  }

  async #acquire<Grants extends readonly Grant[]>(
    path: string,
    what: object,
    options: AcquireOptions,
    read: (response: ApiResponse) => Grants,
  ): Promise<Grants> {
    const { waitMs = 0, renewal = "automatic", signal, leaseMs = LEASE_MS_DEFAULT, ...fields } = options;
    const renewEveryMs = renewal === "automatic" ? computeRenewalIntervalMs(leaseMs) : undefined;
    const request: ApiRequest = {
      method: "POST",
      path,
      body: { ...what, ...fields, leaseMs, renewEveryMs },
      idempotencyKey: createIdempotencyKey(),
      retryForMs: RETRY_MS,
      timeoutMs: TIMEOUT_MS,
    };
    try {
      const waiting = waitMs > 0 ? { waitMs } : {};
      return read(await this.#transport.request({ ...request, ...waiting, signal }));
    } catch (error) {
      // A minimum hold time would block the lock for longer than the lease of an abandoned grant.
      const isAborted = error instanceof ApiError && error.code === "aborted";
      if (isAborted && options.minHoldMs === undefined) {
        void this.#abandon({ ...request, retryForMs: ABANDON_MS }, read);
      }
      throw error;
    }
  }

  /** Sets the total number of permits of a semaphore. @throws ApiError */
  async setLimit(key: string, limit: number): Promise<SemaphorePermits> {
    const path = `/semaphores/${encodeKeyPath(key)}${this.#query}`;
    const { value } = await this.#transport.request({
      method: "PUT",
      path,
      body: { limit },
      retryForMs: RETRY_MS,
      timeoutMs: TIMEOUT_MS,
    });
    const { available, acquired } = readObject(value) ?? {};
    return { limit, available: Number(available), acquired: Number(acquired) };
  }

  /**
   * Renews the hold, and retries until that succeeds, is refused or the lease ends.
   * @throws ApiError
   */
  async renew(lease: HoldLease, fields: RenewalFields): Promise<Grant> {
    const sent = lease.grant;
    const response = await this.#change(lease, "/renew", fields);
    return readSameGrant(sent, readGrant(response), response.status);
  }

  /**
   * Turns the hold of a writer into that of a reader. A repeated request returns the same grant.
   *
   * @throws ApiError
   */
  async downgrade(lease: HoldLease): Promise<Grant> {
    return readGrant(await this.#change(lease, "/downgrade", {}));
  }

  /**
   * Answers a release request, and retries until that succeeds, is refused or the lease ends.
   * @throws ApiError
   */
  async answerReleaseRequest(lease: HoldLease, answer: ReleaseRequestAnswer): Promise<void> {
    await this.#change(lease, "/answer-release-request", answer);
  }

  /** Changes a hold. The idempotency key permits retries. */
  #change(lease: HoldLease, verb: HoldVerb, body: object): Promise<ApiResponse> {
    return this.#transport.request({
      method: "POST",
      path: buildHoldPath(lease, verb),
      body: { ...body },
      idempotencyKey: createIdempotencyKey(),
      ...computeLimits(lease),
    });
  }

  /**
   * Makes one attempt to renew up to 1,000 leases, each for its own duration. The call can safely be repeated.
   *
   * @returns the response, which contains a result for each lease
   * @throws ApiError if the whole request failed
   */
  renewMany(leases: readonly HoldLease[]): Promise<ApiResponse> {
    let timeoutMs = TIMEOUT_MS;
    for (const lease of leases) timeoutMs = Math.min(timeoutMs, computeLimits(lease).timeoutMs);
    const holds = leases.map(({ grant: { holdId }, leaseMs }) => ({ holdId, leaseMs }));
    const path = "/holds/renew";
    return this.#transport.request({ method: "POST", path, body: { holds }, retryForMs: 0, timeoutMs });
  }

  /** Returns whether the hold still exists. @throws ApiError */
  async readStatus(lease: HoldLease): Promise<boolean> {
    const path = buildHoldPath(lease, "");
    return readHeld(await this.#transport.request({ method: "GET", path, ...computeLimits(lease) }));
  }

  /** Re-enters the hold. @throws ApiError */
  async reenter(lease: HoldLease, leaseMs: number | undefined): Promise<Grant> {
    const request: ApiRequest = {
      method: "POST",
      path: this.#buildAcquirePath(lease.key),
      body: { reenter: lease.grant.holdId, leaseMs },
      idempotencyKey: createIdempotencyKey(),
      ...computeLimits(lease),
    };
    try {
      const response = await this.#transport.request(request);
      return readSameGrant(lease.grant, readGrant(response), response.status);
    } catch (error) {
      const mayBeCounted = error instanceof ApiError && error.unansweredAttempts > 0;
      if (mayBeCounted)
        void this.#abandon({ ...request, retryForMs: lease.leaseMs }, (response) => [readGrant(response)]);
      throw error;
    }
  }

  /** Releases one count. Retry with the same key, so that the server releases only one. @throws ApiError */
  async release(lease: HoldLease, options: ReleaseOptions, idempotencyKey: string): Promise<Released> {
    const response = await this.#transport.request({
      method: "POST",
      path: buildHoldPath(lease, "/release"),
      body: { reservedMs: options.reservedMs },
      idempotencyKey,
      retryForMs: RETRY_MS,
      timeoutMs: TIMEOUT_MS,
    });
    return readReleased(response);
  }

  /**
   * Releases what an acquire or a re-entry was granted but did not return to its caller. Repeating the request with its
   * idempotency key reveals whether it was granted. Never rejects.
   */
  async #abandon(
    { retryForMs, ...request }: ApiRequest,
    read: (response: ApiResponse) => readonly Grant[],
  ): Promise<void> {
    const limits = { retryForMs, timeoutMs: TIMEOUT_MS };
    try {
      const grants = read(await this.#transport.request({ ...request, ...limits }));
      const release = ({ holdId }: Grant) => {
        const idempotencyKey = createIdempotencyKey();
        const path = `/holds/${holdId}/release`;
        return this.#transport.request({ method: "POST", path, body: {}, idempotencyKey, ...limits });
      };
      await Promise.allSettled(grants.map(release));
    } catch {
      // The request was not granted, or the lease expires.
    }
  }

  #buildAcquirePath(key: string): string {
    return `/locks/${encodeKeyPath(key)}/acquire${this.#query}`;
  }
}

function buildHoldPath(lease: HoldLease, verb: "" | "/release" | HoldVerb): string {
  return `/holds/${lease.grant.holdId}${verb}`;
}

/** Limits a request about a hold to the time until its deadline. A later response would be useless. */
function computeLimits(lease: HoldLease): Pick<ApiRequest, "retryForMs" | "timeoutMs"> {
  const remainingMs = lease.remainingMs();
  const tryMs = Math.max(TRY_MS_MIN, lease.leaseMs * TRY_SHARE_OF_LEASE, remainingMs * TRY_SHARE_OF_REST);
  return { retryForMs: remainingMs, timeoutMs: Math.min(TIMEOUT_MS, tryMs) };
}

/** @throws ApiError if the response is about another hold */
function readSameGrant(sent: Grant, grant: Grant, status: number): Grant {
  if (grant.holdId === sent.holdId && grant.fence === sent.fence) return grant;
  throw createFieldError("holdId", status);
}
