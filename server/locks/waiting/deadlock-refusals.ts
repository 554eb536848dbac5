import { DEADLOCK_CHANNEL } from "../../formats/keys.ts";
import type { Subscriber } from "../../redis/commands.ts";

/** One wait in a deadlock: a client, and the lock that it waits for. */
export interface DeadlockStep {
  readonly owner: string;
  readonly key: string;
}

/** A message on `DEADLOCK_CHANNEL`: the id of the wait to end, and the deadlock of which the wait is part. */
export interface WaitRefusal {
  readonly waitId: string;
  /** Each client waits for the next one in the list. The last one waits for the first. */
  readonly cycle: readonly DeadlockStep[];
}

type OnRefusal = (cycle: readonly DeadlockStep[]) => void;

/** Maximum size of a message to parse, in bytes. Any client can publish messages. */
const MESSAGE_BYTES_MAX = 65_536;

/** Receives the refusals of this process's waits. Subscribes when the first wait that can be refused begins. */
export class DeadlockRefusals {
  readonly #waits = new Map<string, OnRefusal>();
  readonly #channel = Buffer.from(DEADLOCK_CHANNEL);
  #isSubscribed = false;

  constructor(private readonly subscriber: Subscriber) {}

  /**
   * Registers a callback for the refusal of a wait.
   *
   * @returns a function that removes the callback
   */
  register(waitId: string, onRefusal: OnRefusal): () => void {
    if (!this.#isSubscribed) this.#listen();
    this.#waits.set(waitId, onRefusal);
    return () => this.#waits.delete(waitId);
  }

  #listen(): void {
    this.#isSubscribed = true;
    // A lost message is sent again while the deadlock lasts.
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

/** Parses a message on `DEADLOCK_CHANNEL`. Returns `undefined` if the message is not a refusal. */
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
