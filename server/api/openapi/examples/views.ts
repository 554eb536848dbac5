import type { View, ViewInput } from "../../../../lib/contract/view.ts";

export const VIEW_ID = {
  description: "The id of the view, which is chosen by whoever makes it.",
  example: "payments-eu",
};

export const VIEW: View = {
  id: VIEW_ID.example,
  name: "payments EU",
  filter: "key:lock:payments:eu:* held>1m",
  sort: "-held",
  columns: ["key", "owner", "held"],
  of: "me",
  by: "mei",
  mayChange: true,
};

export const VIEW_INPUTS: Readonly<Record<string, Partial<ViewInput>>> = {
  "A tab of one's own": { name: "payments EU", filter: "key:lock:payments:eu:* held>1m", sort: "-held" },
  "Move it to the front": { name: "payments EU", filter: "key:lock:payments:eu:* held>1m", place: 0 },
  "For the whole team": { name: "payments EU", filter: "key:lock:payments:eu:* held>1m", of: "team" },
};
