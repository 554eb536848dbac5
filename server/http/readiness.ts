/** The response of `/readyz`. */
export interface Readiness {
  readonly ready: boolean;
  /** Why the server is not ready. */
  readonly state: string;
  /** Conditions that an operator must know and that a restart does not resolve, one line each. */
  readonly warnings: readonly string[];
}
