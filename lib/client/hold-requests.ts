import { encodeKeyPath } from "../keys/key.ts";
import { ApiError } from "./api-error.ts";
import type { ApiRequest, ApiResponse, ApiTransport } from "./api-transport.ts";
import {
  createFieldError,
  type Grant,
  readField,
  readGrant,
  readGrants,
  readHeld,
  readReleased,
} from "./grant.ts";
import type { HoldLease } from "./hold-lease.ts";
import type {
  AcquireAllOptions,
  AcquireOptions,
  Released,
  ReleaseOptions,
  SemaphorePermits,
} from "./hold-options.ts";
import { computeRenewalIntervalMs } from "./lease-renewer.ts";
import { computeLimits, createIdempotencyKey, RETRY_MS, TIMEOUT_MS } from "./request-options.ts";
import { readAmount, readInteger } from "./untrusted.ts";

/**
 * Time in ms for which the release of an abandoned grant is retried. A grant is abandoned if the caller aborts the
 * acquire.
 */
const ABANDON_MS = 2000;
const LEASE_MS_DEFAULT = 30_000;

export interface ReleaseRequestAnswer {
  readonly requestId: string;
  readonly answer: "accepted" | "refused";
  readonly text: string | undefined;
}

interface RenewalFields {
  readonly leaseMs: number;
  /** Declares to the server that this client reads release requests from now on. */
  readonly receivesReleaseRequests?: true;
}

type HoldVerb = "/renew" | "/downgrade" | "/answer-release-request";

/** Sends the API requests that acquire, read and change holds, and reads the responses. */
export class HoldRequests {
  readonly #transport: ApiTransport;
  readonly #query: string;

  constructor(transport: ApiTransport, target: string | undefined) {
    this.#transport = transport;
    this.#query = target === undefined ? "" : `?target=${encodeURIComponent(target)}`;
  }

  /** @throws ApiError */
  async acquire(key: string, options: AcquireOptions): Promise<Grant> {
    const [grant] = await this.#acquire(this.#buildAcquirePath(key), {}, options, createGrantReader(key));
    return grant;
  }

  /** Acquires all locks or none. Returns the grants in the same order as `keys`. @throws ApiError */
  acquireAll(keys: readonly string[], options: AcquireAllOptions): Promise<Grant[]> {
    return this.#acquire(`/locks/acquire${this.#query}`, { keys }, options, (response) =>
      readGrants(keys, response),
    );
  }

  async #acquire<Grants extends readonly Grant[]>(
    path: string,
    what: object,
    options: AcquireOptions,
    read: (response: ApiResponse) => Grants,
  ): Promise<Grants> {
    const {
      waitMs = 0,
      renewal = "automatic",
      signal,
      leaseMs = LEASE_MS_DEFAULT,
      holding,
      ...fields
    } = options;
    const holdIds = holding?.map((hold) => (typeof hold === "string" ? hold : hold.holdId));
    const renewEveryMs = renewal === "automatic" ? computeRenewalIntervalMs(leaseMs) : undefined;
    const request: ApiRequest = {
      method: "POST",
      path,
      body: { ...what, ...fields, holding: holdIds, leaseMs, renewEveryMs },
      idempotencyKey: createIdempotencyKey(),
      retryForMs: RETRY_MS,
      timeoutMs: TIMEOUT_MS,
    };
    try {
      return read(await this.#transport.request({ ...request, waitMs: waitMs || undefined, signal }));
    } catch (error) {
      // Does not abandon a grant with a minimum hold time. The released lock could stay held for longer than the unused
      // lease.
      const isAborted = error instanceof ApiError && error.code === "aborted";
      if (isAborted && options.minHoldMs === undefined) {
        void this.#abandon({ ...request, retryForMs: ABANDON_MS }, read);
      }
      throw error;
    }
  }

  /**
   * Sets the total number of permits of a semaphore.
   *
   * @throws ApiError; the code is `unexpected_response` if the response has no permits
   */
  async setLimit(key: string, limit: number): Promise<SemaphorePermits> {
    const response = await this.#transport.request({
      method: "PUT",
      path: `/semaphores/${encodeKeyPath(key)}${this.#query}`,
      body: { limit },
      retryForMs: RETRY_MS,
      timeoutMs: TIMEOUT_MS,
    });
    const available = readField(response, "available", readInteger);
    return { limit, available, acquired: readField(response, "acquired", readAmount) };
  }

  /**
   * Renews the hold. Retries until the renewal succeeds or is refused, or until the lease ends.
   * @throws ApiError
   */
  async renew(lease: HoldLease, fields: RenewalFields): Promise<Grant> {
    const sent = lease.grant;
    const response = await this.#change(lease, "/renew", fields);
    return readSameGrant(lease.key, sent, response);
  }

  /**
   * Downgrades a write lock to a read lock. Repeating the call is safe and returns the same grant.
   *
   * @throws ApiError
   */
  async downgrade(lease: HoldLease): Promise<Grant> {
    return readGrant(lease.key, await this.#change(lease, "/downgrade", {}));
  }

  /**
   * Accepts or refuses a release request. Retries until the server accepts or rejects the call, or until the lease
   * expires.
   * @throws ApiError
   */
  async answerReleaseRequest(lease: HoldLease, answer: ReleaseRequestAnswer): Promise<void> {
    await this.#change(lease, "/answer-release-request", answer);
  }

  /** Sends a request that changes a hold. An idempotency key makes retries safe. */
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
   * Makes one attempt to renew up to 1,000 leases, each for its own duration. Repeating the call is safe.
   *
   * @returns the response, which contains one result per lease
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

  /**
   * Re-enters the hold. If the request fails but an attempt may have been carried out, releases the re-entry in the
   * background.
   *
   * @throws ApiError
   */
  async reenter(lease: HoldLease, leaseMs: number | undefined): Promise<Grant> {
    const request: ApiRequest = {
      method: "POST",
      path: this.#buildAcquirePath(lease.key),
      body: { reenter: lease.grant.holdId, leaseMs },
      idempotencyKey: createIdempotencyKey(),
      ...computeLimits(lease),
    };
    try {
      return readSameGrant(lease.key, lease.grant, await this.#transport.request(request));
    } catch (error) {
      const mayBeCounted = error instanceof ApiError && error.unansweredAttempts > 0;
      if (mayBeCounted) {
        void this.#abandon({ ...request, retryForMs: lease.leaseMs }, createGrantReader(lease.key));
      }
      throw error;
    }
  }

  /**
   * Releases one acquisition of the hold. A re-entered hold must be released once per acquisition. Retries must use the
   * same idempotency key, so that the server executes the release only once.
   *
   * @throws ApiError
   */
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
   * Releases the grants of an acquire or re-enter request whose response the caller did not receive. Repeats the
   * request with the same idempotency key to learn whether it was granted. Never rejects.
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
      // The request was not granted, or the unused hold expires with its lease.
    }
  }

  #buildAcquirePath(key: string): string {
    return `/locks/${encodeKeyPath(key)}/acquire${this.#query}`;
  }
}

function buildHoldPath(lease: HoldLease, verb: "" | "/release" | HoldVerb): string {
  return `/holds/${lease.grant.holdId}${verb}`;
}

/** @throws ApiError if the response refers to another hold */
function readSameGrant(key: string, sent: Grant, response: ApiResponse): Grant {
  const grant = readGrant(key, response);
  if (grant.holdId === sent.holdId && grant.fence === sent.fence) return grant;
  throw createFieldError("holdId", response.status);
}

function createGrantReader(key: string) {
  return (response: ApiResponse): [Grant] => [readGrant(key, response)];
}
