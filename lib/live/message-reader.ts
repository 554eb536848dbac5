import { z } from "zod";
import { LIVE_MESSAGES, type LiveMessage } from "@/lib/contract/live.ts";
import type { MessageName } from "./message-names.ts";

// The content security policy of the page blocks code that zod would otherwise generate.
z.config({ jitless: true });

/** Parses a message; `undefined` if this version of the page does not know it. */
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
