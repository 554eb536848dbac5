import { z } from "zod";
import { LIVE_MESSAGES, type LiveMessage } from "@/lib/contract/live.ts";
import type { MessageName } from "./message-names.ts";

// The page's content security policy forbids the code that zod would otherwise generate.
z.config({ jitless: true });

/** undefined when the message is not what this page was built for. */
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
