/** How much a principal may keep in Redis at once. */
export interface HoldQuota {
  /** Live holds. */
  readonly holdsMax: number;
  /** Bytes of their keys and companions, estimated. */
  readonly bytesMax: number;
}

/** What an API key has of its own; null: the limit of the server. */
export type HoldQuotaOverride = { readonly [Limit in keyof HoldQuota]: number | null };

export const NO_QUOTA_OVERRIDE: HoldQuotaOverride = { holdsMax: null, bytesMax: null };
