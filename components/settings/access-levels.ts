import type { Access } from "@/lib/contract/access.ts";

/**
 * The access levels. Duplicates a list in the contract, because importing the contract would add zod to the initial
 * bundle. A test checks that both lists are equal.
 */
export const ACCESS_LEVELS: readonly Access[] = ["read", "lock", "force", "admin"];
