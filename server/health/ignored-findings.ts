import type { Health } from "../../lib/contract/live.ts";
import type { Finding } from "../../lib/contract/target.ts";
import { KEY_BYTES_MAX } from "../../lib/keys/key.ts";

/**
 * Returns the findings for keys and messages that the watcher ignores. The watcher ignores them so that clients cannot
 * exhaust its memory or CPU time.
 */
export function checkIgnored(counts: Pick<Health, "oversizedKeys" | "ignoredEvents">): Finding[] {
  return [...checkOversizedKeys(counts.oversizedKeys ?? 0), ...checkIgnoredEvents(counts.ignoredEvents ?? 0)];
}

function checkOversizedKeys(count: number): Finding[] {
  if (count === 0) return [];
  const keys = count === 1 ? "1 watched key has a name" : `${count} watched keys have names`;
  return [
    {
      code: "oversized_keys",
      severity: "note",
      title: `${keys} longer than ${KEY_BYTES_MAX} bytes`,
      risk: "These keys are not read, shown or released. Watch fewer keys with LOCKKEEPER_WATCH, or find the client that writes them.",
      facts: { count: String(count) },
      masters: [],
    },
  ];
}

function checkIgnoredEvents(count: number): Finding[] {
  if (count === 0) return [];
  const messages = count === 1 ? "1 message" : `${count} messages`;
  return [
    {
      code: "ignored_events",
      severity: "note",
      title: `${messages} on the event channel ignored`,
      risk: "They were malformed, too long, or too many to be confirmed by reads, so a client may be forging events. Let only applications that use Lockkeeper's library or scripts publish on lockkeeper:events:* (ACL).",
      facts: { count: String(count) },
      masters: [],
    },
  ];
}
