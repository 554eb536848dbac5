import { describe, expect, it } from "vitest";
import { EVENT_TYPES, type LockEvent } from "@/lib/contract/event.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { ALL_EVENT_TYPES, formatEventDetail } from "./event-text.ts";

const messages = { events, lock };

const event = (fields: Partial<LockEvent>): LockEvent => ({
  id: "1",
  type: "acquired",
  target: "main",
  key: "lock:a",
  at: 1,
  observed: "exact",
  owner: "pod-7",
  ...fields,
});

describe("event detail text", () => {
  it("the event text covers every event type of the contract", () => {
    expect([...ALL_EVENT_TYPES].sort()).toEqual([...EVENT_TYPES].sort());
  });

  it("the event text shows the owner and the relevant facts of each event type", () => {
    expect(formatEventDetail(event({ fence: "1763647401104822" }), messages)).toBe("pod-7, fence …104 822");
    expect(formatEventDetail(event({ type: "reentered", count: 2 }), messages)).toBe("pod-7, count 2");
    expect(formatEventDetail(event({ type: "released", heldMs: 3100, count: 0 }), messages)).toBe(
      "pod-7 after 3.1 s",
    );
    expect(formatEventDetail(event({ type: "expired", heldMs: 41_000 }), messages)).toBe(
      "pod-7 after 41 s, never released",
    );
    expect(formatEventDetail(event({ type: "recreated" }), messages)).toBe("pod-7, recreated after release");
    expect(
      formatEventDetail(event({ type: "force_released", by: "mei", reason: "node lost" }), messages),
    ).toBe("by mei, “node lost”, from pod-7");
    const request = { type: "release_requested", by: "mei", reason: "deploy" } as const;
    expect(formatEventDetail(event(request), messages)).toBe("by mei, “deploy”, to pod-7");
    const answer = { type: "release_request_refused", reason: "in a transaction" } as const;
    expect(formatEventDetail(event(answer), messages)).toBe("pod-7, “in a transaction”");
    expect(formatEventDetail(event({ type: "release_request_accepted" }), messages)).toBe("pod-7");
  });

  it("the event text shows a reservation and its end as a reservation", () => {
    const byMei = { owner: "lockkeeper:reserve:mei" };
    expect(formatEventDetail(event(byMei), messages)).toBe("reservation by mei");
    expect(formatEventDetail(event({ ...byMei, type: "expired", heldMs: 60_000 }), messages)).toBe(
      "reservation by mei after 1 m 00 s",
    );
    expect(formatEventDetail(event({ owner: "lockkeeper:reserve:min-hold" }), messages)).toBe(
      "minimum hold time",
    );
  });
});
