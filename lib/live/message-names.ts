import type { LiveMessage } from "@/lib/contract/live.ts";

export type MessageName = LiveMessage["name"];

/**
 * Names of the messages of the stream, without a dependency on zod. The type checker ensures that they match the
 * contract.
 */
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
