import { z } from "zod";
import { VIEW_COLUMNS_MAX, VIEW_ID_PATTERN, VIEW_NAME_CHARACTERS_MAX, VIEWS_MAX } from "./limits.ts";
import { LockFilter, LockSort } from "./list.ts";

const NAME_REQUIREMENT = `name has 1 to ${VIEW_NAME_CHARACTERS_MAX} visible characters, and no white space at its ends`;

export const ViewId = z
  .string()
  .regex(VIEW_ID_PATTERN, "the id of a view has 8 to 32 letters, digits, - or _");

const viewFields = {
  name: z
    .string()
    .min(1, NAME_REQUIREMENT)
    .max(VIEW_NAME_CHARACTERS_MAX, NAME_REQUIREMENT)
    .regex(/^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u, NAME_REQUIREMENT)
    .meta({ description: "What its tab says.", example: "payments EU" }),
  filter: LockFilter,
  sort: LockSort.removeDefault().optional().meta({
    description: "As `GET /locks` takes it. Without it, the order of the page stays.",
    example: "-held",
  }),
  columns: z
    .array(
      z
        .string()
        .max(20)
        .regex(/^[a-z]+(?::\d{1,4})?$/, "a column is its name, or its name:width"),
    )
    .min(1)
    .max(VIEW_COLUMNS_MAX)
    .optional()
    .meta({
      description:
        "The columns to show, in order, as the console names them. Without it, those of the page stay.",
      example: ["key", "owner", "held"],
    }),
  of: z.enum(["me", "team"]).default("me").meta({
    description:
      "me: only who keeps it has it, in every browser. team: everybody who may look at all locks of a target has it.",
  }),
};

export const ViewInput = z
  .strictObject({
    ...viewFields,
    place: z
      .int()
      .min(0)
      .max(VIEWS_MAX - 1)
      .optional()
      .meta({
        description:
          "Where among the others, from 0. Without it, it stays where it is; a new one comes last.",
      }),
  })
  .meta({ id: "ViewInput" });
export type ViewInput = z.infer<typeof ViewInput>;

export const View = z
  .object({
    id: ViewId,
    ...viewFields,
    by: z.string().meta({ description: "Who wrote it last.", example: "mei" }),
    mayChange: z.boolean().meta({
      description:
        "Of the team's: only who wrote it, or an admin of everything, changes it or takes it away.",
    }),
  })
  .meta({ id: "View" });
export type View = z.infer<typeof View>;

export const ViewList = z
  .object({ items: z.array(View) })
  .meta({ id: "ViewList", description: "One's own, then the team's, each in their order." });
export type ViewList = z.infer<typeof ViewList>;
