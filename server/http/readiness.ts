/** What `/readyz` responds with. */
export interface Readiness {
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly state: string;
  /** What an operator has to know and a restart does not end; one line each. */
  readonly warnings: readonly string[];
}
