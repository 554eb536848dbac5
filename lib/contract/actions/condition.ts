import { z } from "zod";
import { asOfSchema } from "../lock.ts";
import { Hold, HoldIdText, WAIT_MS_MAX } from "./verb.ts";

const createWaitSchema = () =>
  z
    .int(`must be a whole number of milliseconds from 0 to ${WAIT_MS_MAX}`)
    .min(0, "must be at least 0")
    .max(WAIT_MS_MAX, `must be at most ${WAIT_MS_MAX}`);

export const AwaitInput = z
  .strictObject({
    waitMs: createWaitSchema().meta({
      description:
        "How long to wait for a signal, in milliseconds. The lock is acquired again after that as well.",
    }),
    reacquireMs: createWaitSchema().meta({
      description: `How long to wait for the lock after the signal or the end of \`waitMs\`, in milliseconds. If that is not enough, the request fails with \`timeout\` and nothing is held. Both waits together may take ${WAIT_MS_MAX}.`,
    }),
  })
  .superRefine(({ waitMs, reacquireMs }, context) => {
    if (waitMs + reacquireMs <= WAIT_MS_MAX) return;
    const message = `waitMs and reacquireMs must add up to at most ${WAIT_MS_MAX}`;
    context.addIssue({ code: "custom", path: ["waitMs"], message });
  })
  .meta({ id: "AwaitInput" });
export type AwaitInput = z.infer<typeof AwaitInput>;

/** The hold of a client after a wait for a condition, and whether the wait ended with a signal. */
export const AwaitedHold = z
  .object({
    ...Hold.shape,
    signalled: z.boolean().meta({
      description:
        "False if `waitMs` passed without a signal. Check what you wait for in either case: another client may have been faster, and after an interruption it can be true without a signal.",
    }),
  })
  .meta({ id: "AwaitedHold" });
export type AwaitedHold = z.infer<typeof AwaitedHold>;

export const Signalled = z
  .object({
    holdId: HoldIdText,
    signalled: z.int().meta({ description: "How many clients were signalled. 0: none was waiting." }),
    asOf: asOfSchema,
  })
  .meta({ id: "Signalled" });
export type Signalled = z.infer<typeof Signalled>;
