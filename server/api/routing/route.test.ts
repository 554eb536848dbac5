import { expect, it } from "vitest";
import { z } from "zod";
import { InvalidError } from "../../errors/request-errors.ts";
import { parseInput } from "./route.ts";

const Body = z.strictObject({ leaseMs: z.int().optional(), record: z.strictObject({}).optional() });

function readRefusal(value: unknown): InvalidError {
  try {
    parseInput(Body, value, "Body");
  } catch (error) {
    if (error instanceof InvalidError) return error;
  }
  throw new Error("The body was accepted.");
}

it("an unknown field is named, also inside an object", () => {
  expect(readRefusal({ leaseMS: 1, record: { shard: 2 } })).toMatchObject({
    message: "Body, record.shard: is not a known field.",
    facts: {
      errors: [
        { field: "record.shard", message: "is not a known field" },
        { field: "leaseMS", message: "is not a known field" },
      ],
    },
  });
});
