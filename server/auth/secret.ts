import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits that fit into a URL, a header and a cookie. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a secret. Secrets of full entropy need no salt and no slow hash. */
export function hashSha256(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export function isEqualSecret(one: string, two: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(two)];
  return a.length === b.length && timingSafeEqual(a, b);
}
