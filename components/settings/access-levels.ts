import type { Access } from "@/lib/contract/access.ts";

/**
 * The kinds of access. Duplicates a list of the contract, because importing the contract would add zod to the first
 * load. A test compares both.
 */
export const ACCESS_LEVELS: readonly Access[] = ["read", "lock", "force", "admin"];
