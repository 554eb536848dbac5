import { NoteInput, NoteResult } from "../../../lib/contract/actions/note.ts";
import { toKeyFields } from "../../../lib/keys/key.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { readSeenHold } from "../../operator/seen-hold.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { NOTE_RESULT } from "../openapi/examples/locks.ts";
import { toAuditSeen } from "../routing/auditing.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** Creates the routes for operators' notes on locks. */
export function createNoteRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/note",
      operationId: "setLockNote",
      tag: "Locks",
      // The request does not change the target, because notes are stored in the home store. Locks of read-only targets
      // can have notes.
      effect: "reads",
      access: "force",
      summary: "Set a note on a lock",
      description:
        "Sets, replaces or removes the note of a lock. With `expectedVersion` the note is about that hold and is removed when it ends; without it, the note is about the key. Notes are returned with the lock and shown in the console; nothing is written to the target. They are kept for 30 days, at most 1,000 per target; the oldest is removed first.",
      body: NoteInput,
      examples: {
        "Note on the current hold": {
          note: "mei is investigating",
          expectedVersion: "fence.1795216496123456",
        },
        "Note on the key": { note: "Ask the payments team before you release it." },
        "Remove the note": { note: "" },
      },
      response: {
        status: 200,
        schema: NoteResult,
        example: NOTE_RESULT,
        description: "The current note.",
      },
      errors: ["lost", "changed", "not_a_lock", "unknown_outcome"],
      audit: ({ target, key, body: { note, expectedVersion } }) => ({
        action: "set_note",
        seen: toAuditSeen(target, key, expectedVersion),
        details: { note },
      }),
      handle: async ({ target, key, body, principal }) => {
        const { note, expectedVersion } = body;
        const allowedKeys = getAllowedKeys(principal, "force", target.name);
        const { watcher, notes } = target;
        const seen =
          expectedVersion === undefined
            ? undefined
            : await readSeenHold(watcher, key, expectedVersion, allowedKeys);
        await notes.set(key, note.trim(), principal.name, expectedVersion);
        // A lock that is not indexed may still be readable, so the hold that was read is the fallback.
        const stands = watcher.locks.findNote(key, watcher.index.get(key) ?? seen) ?? null;
        return createJsonResponse(200, { ...toKeyFields(key), note: stands, asOf: watcher.clock.lastUpdate });
      },
    }),
  ];
}
