import { formatTypescriptValue } from "../typescript.ts";
import { buildLockUrl, type GuideOptions } from "./guide-options.ts";

export function createTypescriptGuide(options: GuideOptions): string {
  const { leaseMs, waitMs, steps, stepMs } = options;
  return `import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const lock = ${formatTypescriptValue(buildLockUrl(options))};
const owner = \`worker:\${process.pid}:\${randomUUID()}\`; // an owner of its own for each hold
const leaseMs = ${leaseMs};
const waitMs = ${waitMs};

async function call(verb: string, body: object, withinMs: number) {
  const response = await fetch(\`\${lock}/\${verb}\`, {
    method: "POST",
    headers: {
      authorization: \`Bearer \${process.env.LOCKKEEPER_KEY}\`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ owner, ...body }),
    signal: AbortSignal.timeout(Math.floor(withinMs)), // it takes whole numbers only
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.detail), { code: answer.code });
  return answer;
}

let deadline = 0; // on our own monotonic clock: from here on the lock may be somebody else's
async function hold(verb: "acquire" | "renew", body: object, withinMs: number) {
  const sentAt = performance.now();
  const grant = await call(verb, { leaseMs, ...body }, withinMs);
  deadline = sentAt + (grant.waitedMs ?? 0) + grant.remainingMs;
  return grant;
}

const ended = new AbortController();
async function keepAlive() {
  while (!ended.signal.aborted) {
    await sleep(leaseMs / 3, undefined, { signal: ended.signal }).catch(() => undefined);
    if (ended.signal.aborted) return;
    // No answer is tried again until the deadline; a refusal is final.
    await hold("renew", {}, leaseMs / 6).catch((error) => {
      if (error.code === "lost") deadline = 0;
    });
  }
}

class Lost extends Error {}
function assertHeld() {
  if (performance.now() >= deadline) throw new Lost();
}

let grant;
try {
  grant = await hold("acquire", { waitMs }, waitMs + 2500);
} catch (error) {
  console.log(\`not acquired: \${error}\`);
  process.exit(1);
}
console.log(\`acquired with fence \${grant.fence}\`);
const renewing = keepAlive();
try {
  for (let step = 1; step <= ${steps}; step++) {
    assertHeld(); // before each step whose effect others see
    console.log(\`step \${step} with fence \${grant.fence}\`); // send the fence along with every write
    await sleep(${stepMs});
  }
  assertHeld();
} catch (error) {
  if (!(error instanceof Lost)) throw error;
  console.log("lost: stopped");
  process.exit(1);
} finally {
  ended.abort();
  await renewing;
}
await call("release", {}, 5000);
console.log("released");
`;
}
