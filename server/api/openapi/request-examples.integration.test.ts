import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { listOperations, type OpenApiDocument } from "../../../lib/reference/document.ts";
import { createSampleRequest } from "../../../lib/reference/sample-request.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { ROOT_KEY } from "../../../test/support/test-server.ts";
import { EXAMPLE_LOCK } from "./example-hold-id.ts";

const it = serverTest({});

/** Statuses that indicate a malformed request, independent of the state of the server. */
const MALFORMED_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 413, 415, 422]);
/** Operations whose examples name a resource that does not exist on a new server. */
const ABSENT: ReadonlySet<string> = new Set([
  "updateLiveView",
  "getOperator",
  "updateOperator",
  "deleteOperator",
  "setOperatorPassword",
  "getApiKey",
  "revokeApiKey",
  "updateApiKey",
  "rotateApiKey",
  "deleteBrowserSession",
  "deleteView",
  "revealAppConnectionUrl",
]);

/**
 * Operations on write locks. They fail in this test, because the hold in the examples is on a plain lock, which cannot
 * be downgraded.
 */
const FOR_WRITERS: ReadonlySet<string> = new Set(["downgradeHold"]);

it("every request example in the document is accepted as it is", async ({ server }) => {
  const { body } = await server.call("/openapi.json");
  const operations = listOperations(body as OpenApiDocument);
  const redis = server.redis.createClient();
  const faults: string[] = [];
  for (const operation of operations) {
    const sample = createSampleRequest(operation);
    const examples = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {});
    if (sample.isStream) continue;
    for (const sent of examples.length === 0 ? [undefined] : examples.map(({ value }) => value)) {
      // Removes the lock that a previous example acquired.
      await redis.del(EXAMPLE_LOCK.key);
      const takesKey = operation.parameters?.some(({ name }) => name === "Idempotency-Key") === true;
      const response = await fetch(`${server.url}${sample.path}`, {
        method: sample.method,
        headers: {
          ...sample.headers,
          authorization: `Bearer ${ROOT_KEY}`,
          ...(takesKey ? { "idempotency-key": randomUUID() } : {}),
          ...(sent === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      });
      const text = await response.text();
      const isAbsent = response.status === 404 && ABSENT.has(sample.name);
      const isForWriter = FOR_WRITERS.has(sample.name) && text.includes("Only the hold of a writer");
      if (MALFORMED_STATUSES.has(response.status) && !isAbsent && !isForWriter) {
        faults.push(`${sample.name} ${JSON.stringify(sent)}: ${response.status} ${text}`);
      }
      if (operation.responses[response.status] === undefined) {
        faults.push(`${sample.name}: ${response.status} is not documented`);
      }
    }
  }
  expect(faults).toEqual([]);
});
