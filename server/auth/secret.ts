import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits that fit into a URL, a header and a cookie. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a secret. Secrets of full entropy need no salt and no slow hash. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

export function isSame(one: string, two: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(two)];
  return a.length === b.length && timingSafeEqual(a, b);
}
