/**
 * Every route, and what it asks of its callers. A new route fails this test until somebody has written down here who
 * may call it; authorisation.integration.test.ts then tries it as everybody.
 *
 * `of one target`: the access is asked for at the target of the call; `some keys`: for some of its keys is enough.
 */
export const ACCESS_TABLE: Readonly<Record<string, string>> = {
  "POST /locks/{key}/acquire": "lock of one key, writes",
  "POST /locks/{key}/renew": "lock of one key, writes",
  "POST /locks/{key}/release": "lock of one key, writes",
  "POST /locks/{key}/verify": "lock of one key",
  "GET /locks": "read of some keys",
  "GET /locks/{key}": "read of one key",
  "GET /locks/{key}/history": "read of one key",
  "GET /locks/{key}/usual": "read of one key",
  "POST /locks/{key}/force-release": "force of one key, writes",
  "POST /locks/force-release": "force of some keys, writes",
  "POST /locks/{key}/reserve": "force of one key, writes",
  "GET /events": "read of some keys",
  "GET /history": "read of some keys",
  "GET /stats": "read of one target",
  "GET /live": "read of one target",
  "POST /live/{id}": "read of anything",
  "GET /formats": "read of one target",
  "PUT /formats/rules": "admin of one target",
  "GET /finder": "read of one target",
  "POST /finder": "force of one target",
  "POST /finder/cancel": "force of one target",
  "GET /targets": "read of anything",
  "GET /targets/{target}": "read of one target",
  "GET /keys": "admin of everything",
  "POST /keys": "admin of everything",
  "GET /keys/{id}": "admin of everything",
  "DELETE /keys/{id}": "admin of everything",
  "POST /keys/{id}/rotate": "admin of everything",
  "GET /session": "read of anything",
  "POST /login": "anyone",
  "POST /logout": "anyone",
  "GET /openapi.json": "anyone",
};
