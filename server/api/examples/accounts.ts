import type { ApiKey, ApiKeyMade } from "../../../lib/contract/api-key.ts";

const MORNING = 1_795_204_800_000;

export const KEY_ID = { description: "The id of the key, as it is listed.", example: "9f2c41d07ab3" };

export const API_KEY: ApiKey = {
  id: KEY_ID.example,
  name: "checkout",
  verbs: ["read", "lock"],
  targets: ["*"],
  keys: ["lock:orders:*"],
  state: "active",
  createdAt: MORNING,
  createdBy: "operator:mei",
  expiresAt: null,
  revokedAt: null,
  rotatedAt: null,
  oldSecretUntil: null,
  lastUsedAt: null,
};
export const API_KEY_MADE: ApiKeyMade = { ...API_KEY, secret: "lk_9f2c41d07ab3_5Yw0Qh3nX8…" };
export const API_KEY_ROTATED: ApiKeyMade = {
  ...API_KEY_MADE,
  rotatedAt: MORNING + 86_400_000,
  oldSecretUntil: MORNING + 90_000_000,
};
