/** @typedef {import("./index.mjs").Attack} Attack */

const AUDIT = "server/api/routes/audit.integration.test.ts";

/** @type {Attack[]} */
export const AUDIT_LOG = [
  {
    id: "audit/altered",
    attack: "Altering an audit entry in the home store",
    result: "Found, with its number, by the API and by `audit:verify`",
    file: AUDIT,
    test: "an altered audit entry is found by the API and by audit:verify",
  },
  {
    id: "audit/removed",
    attack: "Removing, duplicating, swapping or inserting entries",
    result: "Found at the first affected number",
    file: "server/history/audit/audit-chain.test.ts",
    test: "a removed, duplicated, swapped or inserted entry is found at the first affected number",
  },
  {
    id: "audit/export-cut",
    attack: "An export that ends early",
    result: "It states that it is incomplete",
    file: "server/api/http/line-stream.test.ts",
    test: "an export cut short by a stopping server states that it is incomplete",
  },
  {
    id: "audit/login-flood",
    attack: "Evicting audit entries by logging in to one's own account",
    result: "429 beyond one login every 2 s, with bursts of 50",
    file: "server/api/operators.integration.test.ts",
    test: "an operator's logins are limited, and those beyond the limit share an audit entry",
  },
  {
    id: "audit/unavailable",
    attack: "Acting while the audit log cannot be written",
    result: "Nothing is done",
    file: AUDIT,
    test: "no action is carried out while the audit cannot be written, and it succeeds once the store is back",
  },
  {
    id: "audit/bulk-disconnect",
    attack: "Disconnecting before the response to a bulk release begins",
    result: "Recorded as cancelled; nothing is released",
    file: "server/api/routes/bulk.integration.test.ts",
    test: "a client that leaves before the bulk response begins is audited as cancelled with nothing begun",
  },
];

/** @type {Attack[]} */
export const EVERYTHING = [
  {
    id: "fuzz/api",
    attack:
      "5,000 requests generated from `openapi.json` for every operation, through both adapters: valid, nearly valid and hostile",
    result: "Documented responses, never a 5xx; refused requests change nothing",
    file: "test/attacks/fuzz.integration.test.ts",
    test: "fuzzed requests get documented responses, never a 5xx, and change nothing when refused",
  },
];
