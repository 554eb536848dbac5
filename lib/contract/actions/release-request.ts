import { z } from "zod";
import { FormatName } from "../format.ts";
import { ReleaseAnswer } from "../holds/release-request.ts";
import { RELEASE_REQUEST_TEXT_MAX } from "../limits.ts";
import { SeenVersion } from "../lock.ts";

export const RequestReleaseInput = z
  .strictObject({
    expectedVersion: SeenVersion.meta({
      description: "`version` of the lock, or of one of its holders.",
    }),
    reason: z.string().max(RELEASE_REQUEST_TEXT_MAX).meta({
      description:
        "Reason for the request, which the holder receives. Control characters and line breaks are replaced by spaces.",
    }),
    format: FormatName.optional().meta({
      description: "Format of the lock. The request fails with `invalid` if the lock has another one.",
    }),
  })
  .meta({ id: "RequestReleaseInput" });
export type RequestReleaseInput = z.infer<typeof RequestReleaseInput>;

export const AnswerReleaseRequestInput = z
  .strictObject({
    requestId: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: "`requestId` of the request to answer.", example: "rr_5fGq2mZpXw0a" }),
    answer: ReleaseAnswer.meta({
      description:
        "`accepted`: you will release the hold; release it when the work has stopped. `refused`: you keep it.",
    }),
    text: z.string().max(RELEASE_REQUEST_TEXT_MAX).optional().meta({
      description:
        "Text for the operator, such as when the work will end. Control characters and line breaks are replaced by spaces.",
    }),
  })
  .meta({ id: "AnswerReleaseRequestInput" });
export type AnswerReleaseRequestInput = z.infer<typeof AnswerReleaseRequestInput>;
