import type { Hold } from "../../../lib/client/hold.ts";
import { parseHoldId } from "../../../server/formats/hold-id.ts";
import { countAttempts } from "./attempt-counter.ts";
import type { HeldLock } from "./locking-client.ts";

/**
 * A failed call of the lock API. `certain`: the server refused the request. `open`: the request may still be executed.
 */
export class HttpFailure extends Error {
  override readonly name = "HttpFailure";

  constructor(
    readonly code: string,
    readonly asked: number,
    readonly knowledge: "certain" | "open",
    options: ErrorOptions,
  ) {
    super(code, options);
  }
}

/**
 * Throws an `HttpFailure` for an error of the client. The error's class cannot be compared because it may belong to a
 * mutant.
 */
export function throwFailure(error: unknown): never {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") throw error;
  const { cause } = error;
  const isReported = cause instanceof Error && cause.name === "ApiError";
  const unanswered = isReported && "unansweredAttempts" in cause ? Number(cause.unansweredAttempts) : 0;
  throw new HttpFailure(error.code, unanswered + 1, isReported ? "certain" : "open", { cause: error });
}

/** A hold of the HTTP client, with the token that its hold ID contains. */
export class HttpHold implements HeldLock {
  readonly token: string;

  constructor(
    private readonly hold: Hold,
    readonly asked: number,
  ) {
    this.token = readToken(hold);
  }

  get fence(): string {
    return this.hold.fence;
  }

  get count(): number {
    return this.hold.count;
  }

  get leaseMs(): number {
    return this.hold.leaseMs;
  }

  get state(): HeldLock["state"] {
    return this.hold.state;
  }

  get signal(): AbortSignal {
    return this.hold.signal;
  }

  remainingMs(): number {
    return this.hold.remainingMs();
  }

  assertHeld(): void {
    this.hold.assertHeld();
  }

  async renew(): Promise<void> {
    await this.hold.renew().catch(throwFailure);
  }

  async verify(): Promise<void> {
    await this.hold.verify().catch(throwFailure);
  }

  async downgrade(): Promise<void> {
    await this.hold.downgrade().catch(throwFailure);
  }

  async reenter(): Promise<HeldLock> {
    const { result, asked } = await countAttempts("acquire", () => this.hold.reenter().catch(throwFailure));
    return new HttpHold(result, asked);
  }

  async release() {
    const { result, asked } = await countAttempts("release", () => this.hold.release().catch(throwFailure));
    return { outcome: result.outcome, count: result.count, asked };
  }
}

/** Reads the token from the `holdId`. @throws HttpFailure if the ID does not match the other fields of the hold */
function readToken({ holdId, key, format, fence }: Hold): string {
  const ref = parseHoldId(holdId);
  if (ref?.key === key && ref.format === format && ref.fence === fence) return ref.token;
  throw new HttpFailure(`holdId of another hold: ${holdId}`, 1, "certain", {});
}
