import { existsSync } from "node:fs";
import { join } from "node:path";

/** A lock that a client of the tests holds. */
export interface GrantedLock {
  readonly key: string;
  readonly owner: string;
  /** Id of the hold. Undefined for API versions that identify a hold by its owner. */
  readonly holdId: string | undefined;
}

/** A request with a path below `/api/v1`. */
export interface ApiRequest {
  readonly path: string;
  readonly body: object;
}

/** The aspects in which the API of this checkout and older APIs differ. */
export interface ApiVersion {
  /** Script that starts the server without pages, relative to the root of the checkout. */
  readonly serverScript: string;
  readonly release: (lock: GrantedLock) => ApiRequest;
  /** Query string of `GET /live` for a stream that ends after its first state. */
  readonly pollQuery: string;
}

const CURRENT: ApiVersion = {
  serverScript: "test/support/workers/api-server.ts",
  release: ({ holdId }) => ({ path: `/holds/${holdId}/release`, body: {} }),
  pollQuery: "mode=poll",
};

/** The API until commit edc7eb8 and in some later commits, which identifies a hold by its owner. */
const OWNER_IS_HOLD: ApiVersion = {
  serverScript: "server/testing/workers/api-server.ts",
  release: ({ key, owner }) => ({
    path: `/locks/${encodeURIComponent(key)}/release`,
    body: { owner },
  }),
  pollQuery: "carry=once",
};

const VERSIONS = { current: CURRENT, owner_is_hold: OWNER_IS_HOLD } as const;
export type ApiVersionName = keyof typeof VERSIONS;

export const getApiVersion = (name: ApiVersionName): ApiVersion => VERSIONS[name];

/**
 * Detects the API version of a checkout.
 *
 * @throws if the folder is not a checkout whose server can be started
 */
export function detectApiVersion(checkout: string): ApiVersionName {
  for (const name of ["current", "owner_is_hold"] as const) {
    if (existsSync(join(checkout, VERSIONS[name].serverScript))) return name;
  }
  throw new Error(`${checkout} is not a checkout of Lockkeeper that this harness can run`);
}
