import type { Access } from "@/lib/contract/access.ts";

/**
 * The kinds of access. Duplicates the contract, because importing it would add zod to the first load. A test compares
 * the two.
 */
export const ACCESS_LEVELS: readonly Access[] = ["read", "lock", "force", "admin"];
