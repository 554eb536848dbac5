import { existsSync } from "node:fs";
import { join } from "node:path";

/** A lock that a client of the harness holds. */
export interface GrantedLock {
  readonly key: string;
  readonly owner: string;
  /** Undefined for versions that identify a hold by its owner. */
  readonly holdId: string | undefined;
}

/** A request below /api/v1. */
export interface ApiRequest {
  readonly path: string;
  readonly body: object;
}

/** The differences between the API of this checkout and that of an older one. */
export interface ApiVersion {
  /** Script that runs the server without pages, from the root of the checkout. */
  readonly serverScript: string;
  readonly release: (lock: GrantedLock) => ApiRequest;
  /** Query of `GET /live` for a stream that ends after its first state. */
  readonly pollQuery: string;
}

const CURRENT: ApiVersion = {
  serverScript: "test/support/workers/api-server.ts",
  release: ({ holdId }) => ({ path: `/holds/${holdId}/release`, body: {} }),
  pollQuery: "mode=poll",
};

/** Up to commit edc7eb8 and some later ones: holds are identified by owner. */
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

/** Detects the API version. @throws if the folder is not a checkout that the harness can run */
export function detectApiVersion(checkout: string): ApiVersionName {
  for (const name of ["current", "owner_is_hold"] as const) {
    if (existsSync(join(checkout, VERSIONS[name].serverScript))) return name;
  }
  throw new Error(`${checkout} is not a checkout of Lockkeeper that this harness can run`);
}
