import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Creates a secret of 256 random bits. The secret needs no escaping in URLs, headers and cookies. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Returns the SHA-256 hash of a secret as hexadecimal digits, for storage. Secrets are random, so they need neither a
 * salt nor a slow hash.
 */
export function hashSha256(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export function isEqualSecret(one: string, two: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(two)];
  return a.length === b.length && timingSafeEqual(a, b);
}
