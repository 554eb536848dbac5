import type { Key } from "../../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../../formats/keys.ts";
import type { ScriptEvent } from "./script-event.ts";

/**
 * The notifications for a lock's key that Redis sends before the script event of an acquire. Each entry is the sequence
 * in one or more formats. `RELEASED` lists the sequences of releases.
 */
const ACQUIRED = [
  ["hset", "expire"],
  ["set", "expire"],
] as const;
const RELEASED = [["hdel", "del"], ["del"]] as const;

interface NotificationListener {
  onKeyChange(key: Key, event: string): void;
  onScriptEvent(event: ScriptEvent): void;
  onVerbEvent(event: ScriptEvent): boolean;
}

/**
 * Matches the script events for acquires and releases with the notifications that Redis sent for the same changes.
 * Redis runs a script without interruption, so the notifications that a script causes directly precede its script
 * event.
 */
export class VerbNotifications {
  #key: Key = "";
  /** The second-to-last notification for `#key`; empty if there is none. */
  #before = "";
  #last = "";

  constructor(private readonly listener: NotificationListener) {}

  recordKeyChange(key: Key, event: string): void {
    if (key !== this.#key) this.flush();
    else if (this.#before !== "") this.#report(this.#before);
    this.#key = key;
    this.#before = this.#last;
    this.#last = event;
  }

  recordScriptEvent(event: ScriptEvent): void {
    const used = event.key === this.#key ? this.#countExplained(event) : 0;
    if (used === 1 && this.#before !== "") {
      this.#report(this.#before);
      this.#before = "";
    }
    if (used > 0 && this.listener.onVerbEvent(event)) {
      this.#clear();
      return;
    }
    this.flush();
    this.listener.onScriptEvent(event);
  }

  /** Reports the stored notifications without waiting for a script event. */
  flush(): void {
    if (this.#last === "") return;
    if (this.#before !== "") this.#report(this.#before);
    this.#report(this.#last);
    this.#clear();
  }

  #clear(): void {
    this.#key = "";
    this.#before = "";
    this.#last = "";
  }

  /**
   * Returns how many of the most recent notifications (1 or 2) the verb caused. Returns 0 if these notifications do not
   * match the verb, or if the verb is neither an acquire nor a final release.
   */
  #countExplained({ type, count }: ScriptEvent): number {
    if (type !== "acquired" && (type !== "released" || count > 0)) return 0;
    for (const sent of type === "acquired" ? ACQUIRED : RELEASED) {
      if (sent.length === 1 && sent[0] === this.#last) return 1;
      if (sent[1] === this.#last && sent[0] === this.#before) return 2;
    }
    return 0;
  }

  #report(event: string): void {
    if (!isAuxiliaryKey(this.#key)) this.listener.onKeyChange(this.#key, event);
  }
}
