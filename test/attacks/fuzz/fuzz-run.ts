import fc from "fast-check";
import { findAnswerFault, formatCurl } from "./answer-check.ts";
import type { FuzzDocument, FuzzOperation } from "./fuzz-document.ts";
import { buildRequest, type FuzzRequest, type GetHeaders } from "./fuzz-request.ts";
import type { KeyspaceMonitor } from "./keyspace-monitor.ts";
import { type RequestPlan, RequestPlans } from "./request-plans.ts";
import { type FuzzResponse, type FuzzTransport, isWebAdapterRequest, type Outcome } from "./transport.ts";
import type { ValuePools } from "./value-pools.ts";

export interface FuzzRunOptions {
  readonly document: FuzzDocument;
  readonly pools: ValuePools;
  readonly fast: FuzzTransport;
  readonly web: FuzzTransport;
  readonly keyspace: KeyspaceMonitor;
  readonly getHeaders: GetHeaders;
}

/** What goes together: sent at once, looked at before and after. */
const BATCH = 16;
/** Every so many of them go through the other adapter. */
const WEB_ADAPTER_EVERY = 10;
/** After so many requests there is to be something again to send them at. */
const RECREATE_EVERY = 20;
/** An operation that is slow by nature, as one that hashes passwords, gets no more of the time than this. */
const OPERATION_MS = 4000;

/** Sends requests and keeps what was wrong with the answers. */
export class FuzzRun {
  /** By what went wrong, the shortest request for which it does. */
  readonly faults = new Map<string, string>();
  /** By operation, how often each status and code was answered. */
  readonly answers = new Map<string, Map<string, number>>();
  sentCount = 0;
  /** Of them, refused or only looking: it was compared whether anything had changed. */
  comparedCount = 0;

  constructor(private readonly parts: FuzzRunOptions) {}

  async runOperation(operation: FuzzOperation, cases: number, seed: number): Promise<void> {
    const { document, pools, getHeaders } = this.parts;
    const plans = fc.sample(new RequestPlans(document).generate(operation), { numRuns: cases, seed });
    const deadline = performance.now() + OPERATION_MS;
    const together: FuzzRequest[] = [];
    for (const [at, plan] of plans.entries()) {
      if (performance.now() > deadline) break;
      if (at % RECREATE_EVERY === 0) await this.#createResources(operation, seed + at);
      const request = buildRequest(plan, pools, document, getHeaders);
      if (isReadOnlyOrRefused(request)) together.push(request);
      else await this.#runBatch([request]);
      if (together.length === BATCH) await this.#runBatch(together.splice(0));
    }
    await this.#runBatch(together);
  }

  /** What the operation is about may have to be made first, and made again when it is gone. */
  async #createResources({ path }: FuzzOperation, seed: number): Promise<void> {
    const parent = path.replace(/\/\{(id|target)\}.*$/, "");
    const maker = this.parts.document.operations.find(
      (each) => each.method === "POST" && each.path === parent,
    );
    if (maker === undefined || parent === path) return;
    const { document, pools, getHeaders, fast } = this.parts;
    const isPlain = (plan: RequestPlan) => plan.method === "POST" && plan.credentials === "key";
    for (const plan of fc.sample(new RequestPlans(document).generateValid(maker).filter(isPlain), {
      numRuns: 3,
      seed,
    })) {
      const answer = await fast.send(buildRequest(plan, pools, document, getHeaders));
      if (answer !== "given_up" && (answer.status === 200 || answer.status === 201))
        pools.learn(JSON.parse(answer.text), getArea(maker));
    }
  }

  /** All of one batch: they have changed nothing, if nobody was let in who may. */
  async #runBatch(requests: readonly FuzzRequest[]): Promise<void> {
    const { keyspace } = this.parts;
    const before = await keyspace.takeSnapshot();
    const outcomes = await Promise.all(requests.map((request) => this.#sendAndCheck(request)));
    const isLookedAt = requests.every(
      (request, at) => request.method === "GET" || getStatus(outcomes[at]) >= 400,
    );
    if (!isLookedAt) return;
    this.comparedCount += requests.length;
    const changes = keyspace.findChanges(before, await keyspace.takeSnapshot());
    const [first] = requests;
    if (changes.length === 0 || first === undefined) return;
    if (requests.length > 1) for (const request of requests) await this.#runBatch([request]);
    this.#recordFault(first, `${outcomes.map(getStatus).join(",")}, and yet ${changes.join(", ")}`);
  }

  async #sendAndCheck(request: FuzzRequest): Promise<Outcome> {
    const { document, pools, fast, web } = this.parts;
    this.sentCount += 1;
    const wire = this.sentCount % WEB_ADAPTER_EVERY === 0 && isWebAdapterRequest(request) ? web : fast;
    const outcome = await wire.send(request).catch((error: unknown) => {
      this.#recordFault(request, `no answer: ${error}`);
      return "given_up" as const;
    });
    if (outcome === "given_up") {
      this.#recordFault(request, "no answer in the time");
      return outcome;
    }
    this.#recordAnswer(request, outcome);
    const fault = findAnswerFault(document, request, outcome);
    if (fault !== undefined) this.#recordFault(request, fault);
    const isJson = outcome.headers["content-type"]?.includes("application/json") ?? false;
    if (outcome.status < 300 && isJson && outcome.text !== "")
      pools.learn(JSON.parse(outcome.text), getArea(request.operation));
    return outcome;
  }

  #recordAnswer({ operation: { name } }: FuzzRequest, { status, text }: FuzzResponse): void {
    const answers = this.answers.get(name) ?? new Map<string, number>();
    const code = status < 400 ? "" : (/"code":"(\w+)"/.exec(text)?.[1] ?? "");
    const label = `${status} ${code}`.trim();
    this.answers.set(name, answers.set(label, (answers.get(label) ?? 0) + 1));
  }

  #recordFault(request: FuzzRequest, fault: string): void {
    const what = `${request.operation.name}: ${fault.slice(0, 90)}`;
    const shown = `${fault}\n    ${formatCurl(request)}`;
    const known = this.faults.get(what);
    if (known === undefined || shown.length < known.length) this.faults.set(what, shown);
  }
}

/** What it is about, as its address says: `keys`. */
function getArea({ path }: FuzzOperation): string {
  return path.split("/")[3] ?? "";
}

/** By the document alone. */
function isReadOnlyOrRefused({ method, refusedFor }: FuzzRequest): boolean {
  return method === "GET" || refusedFor !== undefined;
}

function getStatus(outcome: Outcome | undefined): number {
  return outcome === undefined || outcome === "given_up" ? 0 : outcome.status;
}
