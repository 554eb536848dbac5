import { expectTypeOf, it } from "vitest";
import type { ErrorCode } from "../contract/error.ts";
import type * as format from "../contract/format.ts";
import type * as lock from "../contract/lock.ts";
import type { ProblemCode } from "./failure-rules.ts";
import type { OwnerRecord, TimestampUnit, WritableFormat, WritableKind } from "./wire-types.ts";

// The type checker makes the comparison, so the test has no assertions at run time.
it("the types of the client are those of the contract", () => {
  expectTypeOf<WritableFormat>().toEqualTypeOf<format.WritableFormat>();
  expectTypeOf<WritableKind>().toEqualTypeOf<format.WritableKind>();
  expectTypeOf<TimestampUnit>().toEqualTypeOf<format.TimestampUnit>();
  expectTypeOf<OwnerRecord>().toEqualTypeOf<lock.OwnerRecord>();
  expectTypeOf<ProblemCode>().toEqualTypeOf<ErrorCode>();
});
