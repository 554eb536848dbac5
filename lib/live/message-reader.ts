import { z } from "zod";
import { LIVE_MESSAGES, type LiveMessage } from "@/lib/contract/live.ts";
import type { MessageName } from "./message-names.ts";

// Disables zod's code generation, because the content security policy of the page blocks generated code.
z.config({ jitless: true });

/**
 * Parses a message from the stream. Returns `undefined` if the message does not match the schema of this version of the
 * page.
 */
export function readMessage(name: MessageName, text: string): LiveMessage | undefined {
  const parsed = LIVE_MESSAGES[name].safeParse(parseJson(text));
  return parsed.success ? ({ name, data: parsed.data } as LiveMessage) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
