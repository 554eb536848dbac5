import { z } from "zod";
import { VIEW_COLUMNS_MAX, VIEW_ID_PATTERN, VIEW_NAME_CHARACTERS_MAX, VIEWS_MAX } from "./limits.ts";
import { LockFilter, LockSort } from "./list.ts";

const NAME_REQUIREMENT = `must have 1 to ${VIEW_NAME_CHARACTERS_MAX} visible characters, with no leading or trailing white space`;

export const ViewId = z
  .string()
  .regex(VIEW_ID_PATTERN, "id must have 8 to 32 characters: letters, digits, - and _");

const viewFields = {
  name: z
    .string()
    .min(1, NAME_REQUIREMENT)
    .max(VIEW_NAME_CHARACTERS_MAX, NAME_REQUIREMENT)
    .regex(/^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u, NAME_REQUIREMENT)
    .meta({ description: "Name of the view, shown as the title of its tab.", example: "payments EU" }),
  filter: LockFilter,
  sort: LockSort.removeDefault().optional().meta({
    description: "Sort order, as in `GET /locks`. If absent, the current order of the page is kept.",
    example: "-held",
  }),
  columns: z
    .array(
      z
        .string()
        .max(20)
        .regex(/^[a-z]+(?::\d{1,4})?$/, "must be the name of a column, or name:width"),
    )
    .min(1)
    .max(VIEW_COLUMNS_MAX)
    .optional()
    .meta({
      description:
        "Columns to show, in order, by their names in the console, each optionally with a width in pixels (`name:width`). If absent, the current columns of the page are kept.",
      example: ["key", "owner", "held"],
    }),
  of: z.enum(["me", "team"]).default("me").meta({
    description:
      "`me`: visible only to its creator, in every browser. `team`: visible to everyone with read access to all locks of a target.",
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
          "Position among the other views, from 0. Defaults to the current position; new views are added at the end.",
      }),
  })
  .meta({ id: "ViewInput" });
export type ViewInput = z.infer<typeof ViewInput>;

export const View = z
  .object({
    id: ViewId,
    ...viewFields,
    by: z.string().meta({ description: "Operator or API key that last saved the view.", example: "mei" }),
    mayChange: z.boolean().meta({
      description:
        "Whether the caller can change or delete the view. Team views can be changed by the caller that last saved them and by administrators of all targets.",
    }),
  })
  .meta({ id: "View" });
export type View = z.infer<typeof View>;

export const ViewList = z
  .object({ items: z.array(View) })
  .meta({ id: "ViewList", description: "Your views, then the team's, each in their order." });
export type ViewList = z.infer<typeof ViewList>;
