import type { View, ViewInput } from "../../../../lib/contract/view.ts";

export const VIEW_ID = {
  description: "Id of the view. The client chooses it when it creates the view.",
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
  "Save a view": { name: "payments EU", filter: "key:lock:payments:eu:* held>1m", sort: "-held" },
  "Move a view to the front": { name: "payments EU", filter: "key:lock:payments:eu:* held>1m", place: 0 },
  "Share a view with the team": { name: "payments EU", filter: "key:lock:payments:eu:* held>1m", of: "team" },
};
