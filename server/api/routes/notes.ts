import { NoteInput, NoteResult } from "../../../lib/contract/actions/note.ts";
import { toKeyFields } from "../../../lib/keys/key.ts";
import { getAllowedKeys } from "../../auth/principal.ts";
import { readSeenHold } from "../../operator/force-release.ts";
import { createJsonResponse } from "../http/http-exchange.ts";
import { NOTE_RESULT } from "../openapi/examples/locks.ts";
import { toAuditSeen } from "../routing/auditing.ts";
import { defineTargetRoute, type Route } from "../routing/route.ts";

/** What operators write about locks. */
export function createNoteRoutes(): Route[] {
  return [
    defineTargetRoute({
      method: "POST",
      path: "/locks/{key}/note",
      operationId: "setLockNote",
      tag: "Locks",
      // Notes are kept in the home store: a target that is only read can have them.
      effect: "reads",
      access: "force",
      summary: "Write a note about a lock, for whoever looks at it next",
      description:
        "With `expectedVersion` it is about the hold that was seen and ends with it; without, it is about the key until somebody takes it away. It takes the place of the note before, and is shown in `GET /locks/{key}`, in the list and in open pages as `note`. Nothing is written at the target. Kept for thirty days, a thousand of a target; then the oldest goes.",
      body: NoteInput,
      examples: {
        "About this hold": { note: "mei is looking into it", expectedVersion: "fence.1795216496123456" },
        "About the key, whoever holds it": { note: "Ask the payments team before you free it." },
        "Take the note away": { note: "" },
      },
      response: {
        status: 200,
        schema: NoteResult,
        example: NOTE_RESULT,
        description: "The note as it stands.",
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
        // Not every lock that can be looked at is in the picture.
        const stands = watcher.locks.findNote(key, watcher.index.get(key) ?? seen) ?? null;
        return createJsonResponse(200, { ...toKeyFields(key), note: stands, asOf: watcher.clock.lastUpdate });
      },
    }),
  ];
}
