import { formatTypescriptValue } from "../typescript.ts";
import { buildAcquireUrl, buildHoldsUrl, type GuideOptions } from "./guide-options.ts";

export function createTypescriptGuide(options: GuideOptions): string {
  const { leaseMs, waitMs, steps, stepMs } = options;
  return `import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const acquireUrl = ${formatTypescriptValue(buildAcquireUrl(options))};
const holdsUrl = ${formatTypescriptValue(buildHoldsUrl(options))};
const leaseMs = ${leaseMs};
const waitMs = ${waitMs};

async function call(url: string, body: object, withinMs: number, headers: object = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: \`Bearer \${process.env.LOCKKEEPER_KEY}\`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(Math.floor(withinMs)), // it takes whole numbers only
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail), { code: answer.code });
  return answer;
}

let deadline = 0; // on our own monotonic clock: from here on the lock may be somebody else's
async function extend(url: string, body: object, withinMs: number, headers: object = {}) {
  const sentAt = performance.now();
  const hold = await call(url, body, withinMs, headers);
  deadline = sentAt + (hold.waitedMs ?? 0) + hold.remainingMs;
  return hold;
}

async function acquire() {
  const headers = { "idempotency-key": randomUUID() }; // the same for both tries: there is one hold at most
  const send = () => extend(acquireUrl, { leaseMs, waitMs }, waitMs + 2500, headers);
  return await send().catch((error) => {
    if (error.code !== undefined && typeof error.code === "string") throw error; // refused
    return send(); // no answer
  });
}

const ended = new AbortController();
async function keepAlive() {
  while (!ended.signal.aborted) {
    await sleep(leaseMs / 3, undefined, { signal: ended.signal }).catch(() => undefined);
    if (ended.signal.aborted) return;
    // No answer is tried again until the deadline; a refusal is final.
    await extend(\`\${holdUrl}/renew\`, {}, leaseMs / 6).catch((error) => {
      if (error.code === "lost") deadline = 0;
    });
  }
}

class Lost extends Error {}
function assertHeld() {
  if (performance.now() >= deadline) throw new Lost();
}

let hold;
try {
  hold = await acquire();
} catch (error) {
  console.log(\`not acquired: \${error}\`);
  process.exit(1);
}
const holdUrl = \`\${holdsUrl}/\${hold.holdId}\`;
console.log(\`acquired with fence \${hold.fence}\`);
const renewing = keepAlive();
try {
  for (let step = 1; step <= ${steps}; step++) {
    assertHeld(); // before each step whose effect others see
    console.log(\`step \${step} with fence \${hold.fence}\`); // send the fence along with every write
    await sleep(${stepMs});
  }
  assertHeld();
} catch (error) {
  if (!(error instanceof Lost)) throw error;
  console.log("lost: stopped");
  process.exitCode = 1;
} finally {
  ended.abort();
  await renewing;
  await call(\`\${holdUrl}/release\`, {}, 5000); // a hold that has ended is left as it is
}
if (process.exitCode !== 1) console.log("released");
`;
}
