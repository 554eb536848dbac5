/** The content of the response to `GET /readyz`. */
export interface Readiness {
  readonly ready: boolean;
  /** State of the server. The response contains it only if the server is not ready. */
  readonly state: string;
  /** Conditions that operators should know about and that a restart does not resolve. Each is one line. */
  readonly warnings: readonly string[];
}
