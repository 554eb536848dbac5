import type { Access } from "@/lib/contract/access.ts";

/** Written again, because the contract's brings zod, which must not be in the page's first load. A test holds them together. */
export const ACCESS_LEVELS: readonly Access[] = ["read", "lock", "force", "admin"];
