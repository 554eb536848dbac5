import { describe, expect, it } from "vitest";
import type { ReleaseTerms } from "../../lib/contract/lock.ts";
import { createSampleLock } from "../../lib/contract/sample-lock.ts";
import { LockkeeperError } from "../errors/lockkeeper-error.ts";
import { chooseReleaseFormat } from "./release-format.ts";

const YES: ReleaseTerms = { may: "yes", formats: [], oneHolder: false, reservable: true };
const lock = (release: Partial<ReleaseTerms> = {}) =>
  createSampleLock({ format: "redlock", candidates: ["redsync"], release: { ...YES, ...release } });

function refusal(...given: Parameters<typeof chooseReleaseFormat>): LockkeeperError {
  try {
    chooseReleaseFormat(...given);
  } catch (error) {
    if (error instanceof LockkeeperError) return error;
  }
  throw new Error("it was not refused");
}

describe("force-release format", () => {
  it("force-release uses the detected format by default, and a candidate format can be named", () => {
    expect(chooseReleaseFormat(lock(), {})).toBe("redlock");
    expect(chooseReleaseFormat(lock(), { format: "redlock" })).toBe("redlock");
    expect(chooseReleaseFormat(lock(), { format: "redsync" })).toBe("redsync");
    const other = refusal(lock(), { format: "laravel" });
    expect(other).toMatchObject({ code: "invalid", facts: { field: "format" } });
    expect(other.message).toContain("can be released as redlock, redsync");
    expect(refusal({ ...lock(), candidates: ["bull"] }, { format: "bull" }).code).toBe("invalid");
  });

  it("force-release of an ambiguous lock requires one of its candidate formats to be named", () => {
    const possible = lock({ may: "with_format", formats: ["redlock", "redsync"], why: "It may be data." });
    expect(chooseReleaseFormat(possible, { format: "redsync" })).toBe("redsync");
    const missing = refusal(possible, {});
    expect(missing.code).toBe("format_required");
    expect(missing.facts).toMatchObject({ formats: ["redlock", "redsync"], lock: { format: "redlock" } });
    expect(missing.message).toBe("It may be data. Send one of these as `format`: redlock, redsync.");
    expect(refusal(possible, { format: "laravel" }).code).toBe("invalid");
  });

  it("force-release of a lock that must not be released is refused with the reason and an alternative", () => {
    const never = lock({ may: "never", why: "The job runs twice.", instead: "End the job." });
    const refused = refusal(never, { format: "redlock", reservedMs: 5000 });
    expect(refused.code).toBe("read_only");
    expect(refused.facts).toEqual({ why: "The job runs twice.", instead: "End the job." });
    expect(refused.message).toContain("The job runs twice. End the job.");
  });

  it("force-release refuses a reservation for a lock that does not support one", () => {
    const refused = refusal(lock({ reservable: false }), { reservedMs: 5000 });
    expect(refused).toMatchObject({ code: "invalid", facts: { field: "reservedMs" } });
    expect(chooseReleaseFormat(lock({ reservable: false }), {})).toBe("redlock");
  });
});
