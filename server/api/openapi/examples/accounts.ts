import type { ApiKey, CreatedApiKey } from "../../../../lib/contract/accounts/api-key.ts";
import type { Operator } from "../../../../lib/contract/accounts/operator.ts";
import type { BrowserSession } from "../../../../lib/contract/accounts/session.ts";

const MORNING = 1_795_204_800_000;

export const KEY_ID = { description: "Id of the API key.", example: "9f2c41d07ab3e815" };

export const API_KEY: ApiKey = {
  id: KEY_ID.example,
  name: "checkout",
  verbs: ["read", "lock"],
  targets: ["*"],
  keys: ["lock:orders:*"],
  state: "active",
  createdAt: MORNING,
  createdBy: "mei",
  expiresAt: null,
  holdsMax: null,
  bytesMax: null,
  usage: { holds: 214, holdsMax: 10_000, bytes: 118_272, bytesMax: 67_108_864 },
  revokedAt: null,
  rotatedAt: null,
  oldSecretUntil: null,
  lastUsedAt: null,
};
export const CREATED_API_KEY: CreatedApiKey = {
  ...API_KEY,
  usage: { ...API_KEY.usage, holds: 0, bytes: 0 },
  secret: "lk_9f2c41d07ab3e815_5Yw0Qh3nX8…",
};
export const ROTATED_API_KEY: CreatedApiKey = {
  ...CREATED_API_KEY,
  rotatedAt: MORNING + 86_400_000,
  oldSecretUntil: MORNING + 90_000_000,
};

export const OPERATOR_NAME = { description: "Name of the operator.", example: "mei" };

export const OPERATOR: Operator = {
  name: "mei",
  roles: { "*": "viewer", default: "operator" },
  state: "enabled",
  password: "set",
  createdAt: MORNING,
  createdBy: "key:root",
  lastLoginAt: MORNING + 3_600_000,
};

export const BROWSER_SESSION_ID = {
  description: "Id of the browser session.",
  example: "cX0m4sVq7tLw2bEr",
};

export const BROWSER_SESSION: BrowserSession = {
  id: BROWSER_SESSION_ID.example,
  name: "mei",
  via: "password",
  since: MORNING + 3_600_000,
  lastSeenAt: MORNING + 7_200_000,
  expiresAt: MORNING + 46_800_000,
  address: "10.0.4.17",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  current: true,
};
