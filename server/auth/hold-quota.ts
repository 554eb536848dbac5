/** Limits on the live holds of one principal. */
export interface HoldQuota {
  /** Maximum number of live holds of the principal. */
  readonly holdsMax: number;
  /** Maximum estimated size of the holds' keys and companions, in bytes. */
  readonly bytesMax: number;
}

/** The limits of one API key. `null` means that the server's limit applies. */
export type HoldQuotaOverride = { readonly [Limit in keyof HoldQuota]: number | null };

export const NO_QUOTA_OVERRIDE: HoldQuotaOverride = { holdsMax: null, bytesMax: null };
