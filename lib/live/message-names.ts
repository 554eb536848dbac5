import type { LiveMessage } from "@/lib/contract/live.ts";

export type MessageName = LiveMessage["name"];

/** The message names of the contract, without zod. The type checker ensures that both match. */
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
