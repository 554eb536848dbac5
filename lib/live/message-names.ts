import type { LiveMessage } from "@/lib/contract/live.ts";

export type MessageName = LiveMessage["name"];

/** The contract's, written again without zod. The type holds them together. */
const MESSAGE_NAME_RECORD: Readonly<Record<MessageName, true>> = {
  hello: true,
  health: true,
  window: true,
  rows: true,
  counts: true,
  kept: true,
  lock: true,
  recent: true,
  events: true,
};

export const MESSAGE_NAMES = Object.keys(MESSAGE_NAME_RECORD) as readonly MessageName[];
