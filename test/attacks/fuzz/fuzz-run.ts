import fc from "fast-check";
import { asCurl, faultOfAnswer } from "./answer-check.ts";
import type { Document, Operation } from "./fuzz-document.ts";
import { type FuzzRequest, type HeadersOf, requestOf } from "./fuzz-request.ts";
import type { KeyspaceWatch } from "./keyspace-monitor.ts";
import { type Plan, Plans } from "./request-plans.ts";
import { type FuzzAnswer, fitsWebDoor, type Outcome, type Wire } from "./transport.ts";
import type { Pools } from "./value-pools.ts";

export interface CampaignParts {
  readonly document: Document;
  readonly pools: Pools;
  readonly fast: Wire;
  readonly web: Wire;
  readonly keyspace: KeyspaceWatch;
  readonly headersOf: HeadersOf;
}

/** What goes together: sent at once, looked at before and after. */
const BATCH = 16;
/** Every so many of them go through the other door. */
const WEB_EVERY = 10;
/** After so many requests there is to be something again to send them at. */
const MADE_EVERY = 20;
/** An operation that is slow by nature, as one that hashes passwords, gets no more of the time than this. */
const OPERATION_MS = 4000;

/** Sends requests and keeps what was wrong with the answers. */
export class Campaign {
  /** By what went wrong, the shortest request for which it does. */
  readonly faults = new Map<string, string>();
  /** By operation, how often each status and code was answered. */
  readonly answers = new Map<string, Map<string, number>>();
  sent = 0;
  /** Of them, refused or only looking: it was compared whether anything had changed. */
  lookedAt = 0;

  constructor(private readonly parts: CampaignParts) {}

  async against(operation: Operation, cases: number, seed: number): Promise<void> {
    const { document, pools, headersOf } = this.parts;
    const plans = fc.sample(new Plans(document).of(operation), { numRuns: cases, seed });
    const deadline = performance.now() + OPERATION_MS;
    const together: FuzzRequest[] = [];
    for (const [at, plan] of plans.entries()) {
      if (performance.now() > deadline) break;
      if (at % MADE_EVERY === 0) await this.#make(operation, seed + at);
      const request = requestOf(plan, pools, document, headersOf);
      if (changesNothing(request)) together.push(request);
      else await this.#together([request]);
      if (together.length === BATCH) await this.#together(together.splice(0));
    }
    await this.#together(together);
  }

  /** What the operation is about may have to be made first, and made again when it is gone. */
  async #make({ path }: Operation, seed: number): Promise<void> {
    const parent = path.replace(/\/\{(id|target)\}.*$/, "");
    const maker = this.parts.document.operations.find(
      (each) => each.method === "POST" && each.path === parent,
    );
    if (maker === undefined || parent === path) return;
    const { document, pools, headersOf, fast } = this.parts;
    const isPlain = (plan: Plan) => plan.method === "POST" && plan.credentials === "key";
    for (const plan of fc.sample(new Plans(document).fitting(maker).filter(isPlain), { numRuns: 3, seed })) {
      const answer = await fast.send(requestOf(plan, pools, document, headersOf));
      if (answer !== "given_up" && answer.status === 200) pools.learn(JSON.parse(answer.text), areaOf(maker));
    }
  }

  /** All of one batch: they have changed nothing, if nobody was let in who may. */
  async #together(requests: readonly FuzzRequest[]): Promise<void> {
    const { keyspace } = this.parts;
    const before = await keyspace.look();
    const outcomes = await Promise.all(requests.map((request) => this.#judged(request)));
    const isLookedAt = requests.every(
      (request, at) => request.method === "GET" || statusOf(outcomes[at]) >= 400,
    );
    if (!isLookedAt) return;
    this.lookedAt += requests.length;
    const changes = keyspace.changes(before, await keyspace.look());
    const [first] = requests;
    if (changes.length === 0 || first === undefined) return;
    if (requests.length > 1) for (const request of requests) await this.#together([request]);
    this.#blame(first, `${outcomes.map(statusOf).join(",")}, and yet ${changes.join(", ")}`);
  }

  async #judged(request: FuzzRequest): Promise<Outcome> {
    const { document, pools, fast, web } = this.parts;
    this.sent += 1;
    const wire = this.sent % WEB_EVERY === 0 && fitsWebDoor(request) ? web : fast;
    const outcome = await wire.send(request).catch((error: unknown) => {
      this.#blame(request, `no answer: ${error}`);
      return "given_up" as const;
    });
    if (outcome === "given_up") {
      this.#blame(request, "no answer in the time");
      return outcome;
    }
    this.#note(request, outcome);
    const fault = faultOfAnswer(document, request, outcome);
    if (fault !== undefined) this.#blame(request, fault);
    const isJson = outcome.headers["content-type"]?.includes("application/json") ?? false;
    if (outcome.status < 300 && isJson && outcome.text !== "")
      pools.learn(JSON.parse(outcome.text), areaOf(request.operation));
    return outcome;
  }

  #note({ operation: { name } }: FuzzRequest, { status, text }: FuzzAnswer): void {
    const answers = this.answers.get(name) ?? new Map<string, number>();
    const code = status < 400 ? "" : (/"code":"(\w+)"/.exec(text)?.[1] ?? "");
    const label = `${status} ${code}`.trim();
    this.answers.set(name, answers.set(label, (answers.get(label) ?? 0) + 1));
  }

  #blame(request: FuzzRequest, fault: string): void {
    const what = `${request.operation.name}: ${fault.slice(0, 90)}`;
    const shown = `${fault}\n    ${asCurl(request)}`;
    const known = this.faults.get(what);
    if (known === undefined || shown.length < known.length) this.faults.set(what, shown);
  }
}

/** What it is about, as its address says: `keys`. */
function areaOf({ path }: Operation): string {
  return path.split("/")[3] ?? "";
}

/** By the document alone. */
function changesNothing({ method, refusedFor }: FuzzRequest): boolean {
  return method === "GET" || refusedFor !== undefined;
}

function statusOf(outcome: Outcome | undefined): number {
  return outcome === undefined || outcome === "given_up" ? 0 : outcome.status;
}
