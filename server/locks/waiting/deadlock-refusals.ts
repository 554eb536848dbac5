import { DEADLOCK_CHANNEL } from "../../formats/keys.ts";
import type { Subscriber } from "../../redis/commands.ts";

/** One wait of a deadlock: a client and the lock that it waits for. */
export interface DeadlockStep {
  readonly owner: string;
  readonly key: string;
}

/** The message on `DEADLOCK_CHANNEL`: the wait that ends, and the deadlock that it was part of. */
export interface WaitRefusal {
  readonly waitId: string;
  /** Each step waits for the next one, and the last one for the first. */
  readonly cycle: readonly DeadlockStep[];
}

type OnRefusal = (cycle: readonly DeadlockStep[]) => void;

/** Limits what is parsed: any client can publish. */
const MESSAGE_BYTES_MAX = 65_536;

/** Receives the refusals of this process's waits. Subscribes when the first wait can be refused. */
export class DeadlockRefusals {
  readonly #waits = new Map<string, OnRefusal>();
  readonly #channel = Buffer.from(DEADLOCK_CHANNEL);
  #isSubscribed = false;

  constructor(private readonly subscriber: Subscriber) {}

  /** Calls `onRefusal` if the wait is refused. Returns a function that ends this. */
  register(waitId: string, onRefusal: OnRefusal): () => void {
    if (!this.#isSubscribed) this.#listen();
    this.#waits.set(waitId, onRefusal);
    return () => this.#waits.delete(waitId);
  }

  #listen(): void {
    this.#isSubscribed = true;
    // Lost messages are sent again while the deadlock lasts.
    const subscribe = () => void this.subscriber.subscribe(this.#channel).catch(() => undefined);
    this.subscriber.on("messageBuffer", (channel, message) => {
      if (message.length <= MESSAGE_BYTES_MAX && this.#channel.equals(channel))
        this.#dispatch(message.toString());
    });
    this.subscriber.on("ready", subscribe);
    subscribe();
  }

  #dispatch(message: string): void {
    const refusal = parseRefusal(message);
    if (refusal !== undefined) this.#waits.get(refusal.waitId)?.(refusal.cycle);
  }
}

/** Parses a message; `undefined` if it is not a refusal. */
export function parseRefusal(message: string): WaitRefusal | undefined {
  let parsed: Partial<WaitRefusal> | null;
  try {
    parsed = JSON.parse(message);
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || typeof parsed?.waitId !== "string" || !Array.isArray(parsed.cycle))
    return undefined;
  const cycle = parsed.cycle.filter(isStep).map(({ owner, key }) => ({ owner, key }));
  return { waitId: parsed.waitId, cycle };
}

function isStep(step: unknown): step is DeadlockStep {
  return (
    typeof step === "object" &&
    step !== null &&
    typeof Reflect.get(step, "owner") === "string" &&
    typeof Reflect.get(step, "key") === "string"
  );
}
