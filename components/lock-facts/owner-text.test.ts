import { describe, expect, it } from "vitest";
import { formatClock } from "@/components/ui/format-duration.ts";
import { lock as messages } from "@/lib/i18n/en/lock.tsx";
import { formatOwner, identifyOwner, shortenOwner } from "./owner-text.ts";

describe("owner texts", () => {
  it("a deadline is not an owner, in seconds, with a fraction, or in milliseconds", () => {
    for (const value of ["1795344424", "1795344424.5", "1795344424000"])
      expect(identifyOwner(value)).toEqual({ is: "deadline", endsAt: 1_795_344_424_000 });
    for (const value of ["4711", "0123456789", "9999999999", "12345678901", "1795344424:7"])
      expect(identifyOwner(value)).toEqual({ is: "identity" });
    const soon = Math.floor(Date.now() / 1000) + 60;
    expect(formatOwner(String(soon), messages)).toBe(
      `unknown owner (deadline, ends ${formatClock(soon * 1000)})`,
    );
  });

  it("a constant that all clients write is not an owner", () => {
    for (const value of ["1", "0", "true", "LOCKED", "ok"])
      expect(formatOwner(value, messages)).toBe(`unknown owner (value “${value}”)`);
    for (const value of ["2", "lock-1", "worker", ""]) expect(identifyOwner(value).is).toBe("identity");
  });

  it("random values are shortened wherever they stand, and names are not", () => {
    expect(shortenOwner("8743c9c0-0795-4907-87fd-6c719a6b4586:42")).toBe("8743c9c0…4586:42");
    expect(shortenOwner("worker-3:8743c9c0-0795-4907-87fd-6c719a6b4586")).toBe("worker-3:8743c9c0…4586");
    expect(shortenOwner("9f86d081884c7d659a2feaa0c55ad015")).toBe("9f86d081…d015");
    expect(shortenOwner("kq3Vt0bYc8mQ2sLxWn5R7g==")).toBe("kq3Vt0bY…5R7g");
    for (const name of ["checkout@pod-7:311", "Worker-Node-12-Production-East", "deadbeefdeadbeefdeadbeef"])
      expect(shortenOwner(name)).toBe(name);
  });

  it("hostile owners cost no more than their length", () => {
    const hostile = [`${"a1".repeat(500)}!`, "f".repeat(1000), `${"0".repeat(500)}-`];
    for (const owner of hostile) expect(shortenOwner(owner).length).toBeLessThanOrEqual(owner.length);
  });

  it("a reservation is named by who made it", () => {
    expect(formatOwner("lockkeeper:reserve:mei", messages)).toBe("reservation by mei");
  });
});
