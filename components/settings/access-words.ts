import type { Access } from "@/lib/contract/access.ts";

/** Written again, because the contract's brings zod, which must not be in the page's first load. A test holds them together. */
export const ACCESSES: readonly Access[] = ["read", "lock", "force", "admin"];

export const ACCESS_WORDS: Record<Access, string> = {
  read: "look at locks, events and targets",
  lock: "acquire, renew, release and verify: what apps do",
  force: "free and hold off what others hold",
  admin: "change settings, operators and keys, read the audit",
};
