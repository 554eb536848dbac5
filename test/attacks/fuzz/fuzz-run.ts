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

/** Number of requests that are sent concurrently, with one keyspace snapshot before them and one after. */
const BATCH = 16;
/** One in this many requests is sent through the web adapter. */
const WEB_ADAPTER_EVERY = 10;
/** Number of requests of an operation after which its resources are created again. */
const RECREATE_EVERY = 20;
/**
 * Time limit for fuzzing one operation, in milliseconds. Some operations are slow by design, such as those that hash
 * passwords.
 */
const OPERATION_MS = 4000;

/** Sends generated requests and collects the faults in their responses. */
export class FuzzRun {
  /** The shortest request that causes each fault, by description of the fault. */
  readonly faults = new Map<string, string>();
  /** Number of responses by status and error code, for each operation. */
  readonly answers = new Map<string, Map<string, number>>();
  sentCount = 0;
  /**
   * Number of requests for which the keyspace was compared before and after. Only requests that were rejected or
   * read-only are compared.
   */
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

  /** Creates resources for the operation, because earlier requests may have deleted them. */
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

  /**
   * Sends requests concurrently. If all of them were rejected or read-only, records a fault for any change in the
   * keyspace.
   */
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

/** Returns the area of the API that a path belongs to, such as `keys`. */
function getArea({ path }: FuzzOperation): string {
  return path.split("/")[3] ?? "";
}

/** Whether the request must not change anything, according to the OpenAPI document. */
function isReadOnlyOrRefused({ method, refusedFor }: FuzzRequest): boolean {
  return method === "GET" || refusedFor !== undefined;
}

function getStatus(outcome: Outcome | undefined): number {
  return outcome === undefined || outcome === "given_up" ? 0 : outcome.status;
}
