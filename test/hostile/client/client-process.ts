/**
 * An ordinary client, which runs in a separate process so that only the servers can delay it. It acquires and releases
 * locks at a fixed rate over persistent connections, and polls `/healthz` and the state of the target.
 */
import { Agent, request } from "node:http";
import { type ApiVersion, getApiVersion } from "../servers/api-version.ts";
import type { ClientRequest, ClientResponse, ClientResult, ClientTarget } from "./messages.ts";

const REQUEST_MS_MAX = 20_000;
const POLL_MS = 250;
const CONNECTIONS = 16;

interface Reply {
  readonly status: number;
  readonly body: string;
}

class OrdinaryClient {
  readonly #target: ClientTarget;
  readonly #version: ApiVersion;
  readonly #name: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #pollAgent = new Agent({ keepAlive: true });
  readonly #acquireMs: number[] = [];
  readonly #failures: Record<string, number> = {};
  readonly #states: Record<string, number> = {};
  readonly #dueAt = new Set<number>();
  #healthzMsMax = 0;
  #healthzFailures = 0;
  #healthzSince: number | undefined;
  #started = 0;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(target: ClientTarget, name: string) {
    this.#target = target;
    this.#version = getApiVersion(target.apiVersion);
    this.#name = name;
  }

  get acquires(): number {
    return this.#acquireMs.length;
  }

  start(ratePerSecond: number): void {
    const startedAt = performance.now();
    const issueDue = () => {
      const due = Math.floor(((performance.now() - startedAt) * ratePerSecond) / 1000);
      while (this.#started < due) void this.#acquire(startedAt + (++this.#started * 1000) / ratePerSecond);
    };
    this.#timers.push(
      setInterval(issueDue, 2),
      setInterval(() => void this.#pollHealthz(), POLL_MS),
      setInterval(() => void this.#pollState(), POLL_MS),
    );
  }

  stop(): ClientResult {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    const now = performance.now();
    for (const dueAt of this.#dueAt) this.#acquireMs.push(now - dueAt);
    this.#dueAt.clear();
    if (this.#healthzSince !== undefined) this.#recordHealthz(now - this.#healthzSince);
    this.#agent.destroy();
    this.#pollAgent.destroy();
    return {
      acquireMs: this.#acquireMs,
      failures: this.#failures,
      healthzMsMax: this.#healthzMsMax,
      healthzFailures: this.#healthzFailures,
      states: this.#states,
    };
  }

  async #acquire(dueAt: number): Promise<void> {
    const key = `lock:plain:${this.#name}:${this.#started}`;
    const owner = `ordinary:${this.#started}`;
    this.#dueAt.add(dueAt);
    const reply = await this.#post(`/locks/${encodeURIComponent(key)}/acquire`, { owner, leaseMs: 60_000 });
    if (!this.#dueAt.delete(dueAt)) return;
    this.#acquireMs.push(performance.now() - dueAt);
    if (!isSuccess(reply)) return this.#countFailure("acquire", reply);
    const { holdId } = JSON.parse(reply.body) as { holdId?: string };
    const { path, body } = this.#version.release({ key, owner, holdId });
    const released = await this.#post(path, body);
    if (this.#timers.length > 0 && !isSuccess(released)) this.#countFailure("release", released);
  }

  async #pollHealthz(): Promise<void> {
    if (this.#healthzSince !== undefined) return;
    this.#healthzSince = performance.now();
    const reply = await this.#send("GET", "/healthz", this.#pollAgent);
    if (this.#healthzSince === undefined) return;
    this.#recordHealthz(performance.now() - this.#healthzSince);
    if (!isSuccess(reply)) this.#healthzFailures++;
    this.#healthzSince = undefined;
  }

  #recordHealthz(ms: number): void {
    this.#healthzMsMax = Math.max(this.#healthzMsMax, ms);
  }

  async #pollState(): Promise<void> {
    const reply = await this.#send("GET", "/api/v1/targets", this.#pollAgent);
    if (!isSuccess(reply)) return;
    const { items } = JSON.parse(reply.body) as { items: { state: string }[] };
    for (const { state } of items) this.#states[state] = (this.#states[state] ?? 0) + 1;
  }

  #countFailure(what: string, { status, body }: Reply): void {
    const reason = `${what}: ${status === 0 ? body : `${status} ${readCode(body)}`}`;
    this.#failures[reason] = (this.#failures[reason] ?? 0) + 1;
  }

  #post(path: string, body: object): Promise<Reply> {
    return this.#send("POST", `/api/v1${path}`, this.#agent, JSON.stringify(body));
  }

  #send(method: string, path: string, agent: Agent, body?: string): Promise<Reply> {
    return new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${this.#target.secret}`,
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      };
      const sent = request(`${this.#target.url}${path}`, { method, agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on("error", (error) => resolve({ status: 0, body: error.message }));
      });
      sent.setTimeout(REQUEST_MS_MAX, () => sent.destroy(new Error("no response")));
      sent.on("error", (error: NodeJS.ErrnoException) =>
        resolve({ status: 0, body: error.code ?? error.message }),
      );
      sent.end(body);
    });
  }
}

const isSuccess = ({ status }: Reply): boolean => status >= 200 && status < 300;

function readCode(body: string): string {
  try {
    return String((JSON.parse(body) as { code?: unknown }).code);
  } catch {
    return "without a problem document";
  }
}

let client: OrdinaryClient | undefined;

function handleRequest(message: ClientRequest): ClientResponse {
  if (message.do === "start") {
    client = new OrdinaryClient(message.target, message.name);
    client.start(message.ratePerSecond);
    return { is: "started" };
  }
  if (client === undefined) throw new Error("The client was not started");
  return message.do === "count"
    ? { is: "counted", acquires: client.acquires }
    : { is: "stopped", result: client.stop() };
}

process.on("message", (message: ClientRequest) => void process.send?.(handleRequest(message)));
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
