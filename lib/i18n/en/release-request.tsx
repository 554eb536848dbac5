import type { ReactNode } from "react";

/** Messages about release requests, shown in the release dialog, on the lock page and in the table. */
export const releaseRequest = {
  namespace: "releaseRequest" as const,

  /** States of a release request, as shown in the table and on the lock page. */
  states: {
    requested: "Release requested",
    accepted: "Release accepted",
    refused: "Release refused",
  },
  /** Sentences about the release request that follow the sentence about the liveness of the holder. */
  sentences: {
    requested: "An operator asked it to release the lock.",
    accepted: "It accepted a request to release the lock.",
    refused: "It refused a request to release the lock.",
  },
  name: "Request",
  /** @param text text of the holder's response, or the operator's reason if there is no response */
  mark: (state: string, text: string) => (text === "" ? state : `${state}: “${text}”`),
  quoted: (text: ReactNode) => <>“{text}”</>,
  origin: (who: ReactNode, ago: string, reason: ReactNode | null) => (
    <>
      Requested by {who} {ago}
      {reason !== null && <>: “{reason}”</>}
    </>
  ),

  // Action in the release dialog.
  method: "Ask the holder to release",
  hint: "The holder receives your reason and can accept or refuse.",
  why: {
    requested: "Not available: the holder has not answered the last request yet.",
    accepted: "Not available: the holder accepted the last request.",
  },
  previousHolder: "It can finish its work before it releases the lock.",
  reasons: ["Deployment", "Maintenance", "Blocks other work", "Test"],
  reasonRequired: "Enter a reason. It is sent to the holder.",
  reasonTooLong: (most: number) => `Shorten the reason to at most ${most} characters.`,
  reasonPlaceholder: "Sent to the holder and recorded in the audit log",
  submit: "Ask holder to release",
  isSending: "Sending request…",

  // State of the request in the release dialog.
  titles: {
    requested: "Release requested",
    accepted: "The holder accepted the request",
    refused: "The holder refused the request",
  },
  texts: {
    requested:
      "Waiting for the holder's answer. Clients of the HTTP API receive the request with their next renewal.",
    accepted: "It will release the lock when its work is done.",
    refused: "It is keeping the lock. Ask again, or choose another action.",
  },

  // End of a hold whose release was requested.
  released: "The holder released the lock",
  ended: "The hold has ended",
  holder: "Holder",
  time: "Time",
  after: (clock: string, span: string) => `${clock} (Redis time), ${span} after the request`,
  currentHolder: "Held by",
};
