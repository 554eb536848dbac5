/** Limits on the holds that one principal can have at the same time. */
export interface HoldQuota {
  /** Maximum number of live holds. */
  readonly holdsMax: number;
  /** Maximum estimated size of the keys and companions of the live holds, in bytes. */
  readonly bytesMax: number;
}

/** Limits that replace the server's limits for one API key. `null` means that the server's limit applies. */
export type HoldQuotaOverride = { readonly [Limit in keyof HoldQuota]: number | null };

export const NO_QUOTA_OVERRIDE: HoldQuotaOverride = { holdsMax: null, bytesMax: null };
