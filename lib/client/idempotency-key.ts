/** Creates a random `Idempotency-Key`. `crypto.randomUUID` is missing on pages that are served without TLS. */
export function createIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
