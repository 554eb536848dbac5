import { Noted, NoteInput } from "../../../lib/contract/actions/note.ts";
import { fieldsOfKey } from "../../../lib/keys/key.ts";
import { keysFor } from "../../auth/principal.ts";
import { lookAtSeen } from "../../operator/force-release.ts";
import { json } from "../http/http-exchange.ts";
import { NOTED } from "../openapi/examples/locks.ts";
import { seenOf } from "../routing/auditing.ts";
import { type Route, targetRoute } from "../routing/route.ts";

/** What operators write about locks. */
export function noteRoutes(): Route[] {
  return [
    targetRoute({
      method: "POST",
      path: "/locks/{key}/note",
      operationId: "noteLock",
      tag: "Acting",
      // Notes are kept in the home store: a target that is only read can have them.
      effect: "reads",
      access: "force",
      summary: "Write a note about a lock, for whoever looks at it next",
      description:
        "With `expect` it is about the hold that was seen and ends with it; without, it is about the key until somebody takes it away. It takes the place of the note before, and is shown in `GET /locks/{key}`, in the list and in open pages as `note`. Nothing is written at the target. Kept for thirty days, a thousand of a target; then the oldest goes.",
      body: NoteInput,
      examples: {
        "About this hold": { note: "mei is looking into it", expect: "fence.1795216496123456" },
        "About the key, whoever holds it": { note: "Ask the payments team before you free it." },
        "Take the note away": { note: "" },
      },
      response: { status: 200, schema: Noted, example: NOTED, description: "The note as it stands." },
      errors: ["lost", "changed", "not_a_lock", "unknown_outcome"],
      audit: ({ target, key, body: { note, expect } }) => ({
        action: "note",
        seen: seenOf(target, key, expect),
        details: { note },
      }),
      handle: async ({ target, key, body, principal }) => {
        const { note, expect } = body;
        const within = keysFor(principal, "force", target.name);
        const { watcher, notes } = target;
        const seen = expect === undefined ? undefined : await lookAtSeen(watcher, key, expect, within);
        await notes.set(key, note.trim(), principal.name, expect);
        // Not every lock that can be looked at is in the picture.
        const stands = watcher.noteOf(key, watcher.mirror.get(key) ?? seen) ?? null;
        return json(200, { ...fieldsOfKey(key), note: stands, asOf: watcher.clock.lastHeard });
      },
    }),
  ];
}
