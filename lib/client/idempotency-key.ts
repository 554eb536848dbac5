const BYTES = 16;

/** Creates a random `Idempotency-Key`. `crypto.randomUUID` is missing on pages that are served without TLS. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
