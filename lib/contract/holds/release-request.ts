import { z } from "zod";

/** A holder's response to a release request. */
export const ReleaseAnswer = z.enum(["accepted", "refused"]);
export type ReleaseAnswer = z.infer<typeof ReleaseAnswer>;

export const ReleaseRequest = z
  .object({
    requestId: z.string().meta({ description: "Identifies the request.", example: "rr_5fGq2mZpXw0a" }),
    reason: z.string().meta({ description: "Reason that the operator entered." }),
    requestedBy: z.string().meta({ description: "Operator or API key that sent the request." }),
    requestedAt: z.int().meta({ description: "Redis clock, in Unix milliseconds." }),
    state: z.enum(["requested", "accepted", "refused"]).meta({
      description:
        "`requested`: the holder has not answered yet. `accepted`: the holder will release the lock. `refused`: the holder keeps the lock; see `answerText`.",
    }),
    answerText: z
      .string()
      .nullable()
      .meta({ description: "Text of the answer. null if the holder sent none." }),
  })
  .meta({
    id: "ReleaseRequest",
    description: "An operator's request that the holder releases the lock. It ends with the hold.",
  });
export type ReleaseRequest = z.infer<typeof ReleaseRequest>;

/** The field of a response that informs a holder of the current release request. */
export const releaseRequestedSchema = ReleaseRequest.nullable().meta({
  description:
    "An operator's request to release the lock. null if there is none. Finish or interrupt the work, release the hold, and answer the request with `POST /holds/{holdId}/answer-release-request`.",
});

/** The field with which a client declares whether it reads release requests. */
export const receivesReleaseRequestsSchema = z.boolean().optional();
