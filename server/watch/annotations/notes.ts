import { randomBytes } from "node:crypto";
import { z } from "zod";
import { NOTE_DAYS_MAX, NOTES_MAX } from "../../../lib/contract/actions/note.ts";
import { NOTE_CHARACTERS_MAX } from "../../../lib/contract/limits.ts";
import type { Note } from "../../../lib/contract/lock.ts";
import { type Key, keyOfPath, pathOfKey } from "../../../lib/keys/key.ts";
import { OURS_AT_HOME } from "../../formats/keys.ts";
import type { Home } from "../../home/home-store.ts";
import { matchVersion } from "../holds/hold-version.ts";
import type { Hold } from "../holds/observed-hold.ts";

/** A field of the stored hash that is no note: it is another after each change, so that other instances look. */
const MARK = "";
const LOOK_EVERY_MS = 2000;
const KEPT_MS = NOTE_DAYS_MAX * 86_400_000;

const Stored = z.object({
  text: z.string().min(1).max(NOTE_CHARACTERS_MAX),
  by: z.string(),
  at: z.number(),
  /** Of the hold that it is about; without it, it is about the key. */
  version: z.string().optional(),
});
type Stored = z.infer<typeof Stored>;

interface Changes {
  readonly written?: readonly (readonly [Key, Stored])[];
  readonly removed?: readonly Key[];
}

/**
 * What operators wrote about locks of a target. Kept in the home store, so that a target that is only read can have
 * them; every instance knows all, and sees what others changed within seconds.
 */
export class Notes {
  #notes = new Map<Key, Stored>();
  #mark: string | null = null;
  #changed: () => void = () => undefined;
  readonly #stored: string;
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly home: Home,
    target: string,
  ) {
    this.#stored = `${OURS_AT_HOME}notes:${target}`;
  }

  static async open(home: Home, target: string): Promise<Notes> {
    const notes = new Notes(home, target);
    await home.whenThere(() => notes.#read());
    // What the store lost this process still knows.
    home.onEmptied(async () => await notes.#write({ written: [...notes.#notes] }));
    notes.#timer = setInterval(() => void notes.#lookForNews().catch(() => undefined), LOOK_EVERY_MS);
    notes.#timer.unref();
    return notes;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Called when any note was changed, here or elsewhere. */
  onChanged(listener: () => void): void {
    this.#changed = listener;
  }

  /** @param hold that has the key now */
  of(key: Key, hold: Hold | undefined): Note | undefined {
    if (this.#notes.size === 0) return undefined;
    const note = this.#notes.get(key);
    if (note === undefined || isOver(note, hold) || note.at + KEPT_MS < Date.now()) return undefined;
    const { text, by, at, version } = note;
    return { text, by, at, about: version === undefined ? "key" : "hold" };
  }

  /** @param version of the hold that it is about. @throws LockkeeperError unavailable, unknown_outcome */
  async set(key: Key, text: string, by: string, version: string | undefined): Promise<void> {
    if (text === "") return await this.#write({ removed: [key] });
    const about = version === undefined ? {} : { version };
    const note: Stored = { text, by, at: Date.now(), ...about };
    const others = [...this.#notes].filter(([other]) => other !== key);
    const oldest = others.sort(([, a], [, b]) => b.at - a.at).slice(NOTES_MAX - 1);
    const outdated = others.filter(([, { at }]) => at + KEPT_MS < Date.now());
    const removed = new Set([...oldest, ...outdated].map(([other]) => other));
    await this.#write({ written: [[key, note]], removed: [...removed] });
  }

  /** A note about a hold ends with it. */
  seen(key: Key, hold: Hold | undefined): void {
    if (this.#notes.size === 0) return;
    const note = this.#notes.get(key);
    if (note === undefined || !isOver(note, hold)) return;
    this.#notes.delete(key);
    // While the store is away it stays there, and shows nowhere: it is of another hold.
    void this.#write({ removed: [key] }).catch(() => undefined);
  }

  async #write({ written = [], removed = [] }: Changes): Promise<void> {
    if (written.length + removed.length === 0) return;
    const mark = randomBytes(9).toString("base64url");
    const fields = written.map(([key, note]) => [pathOfKey(key), JSON.stringify(note)] as const);
    await this.home.run(async (redis) => {
      const commands = redis.multi().hset(this.#stored, Object.fromEntries([[MARK, mark], ...fields]));
      if (removed.length > 0) commands.hdel(this.#stored, ...removed.map(pathOfKey));
      await commands.exec();
    });
    for (const [key, note] of written) this.#notes.set(key, note);
    for (const key of removed) this.#notes.delete(key);
    this.#changed();
  }

  async #lookForNews(): Promise<void> {
    if (this.home.isAway) return;
    const mark = await this.home.call((redis) => redis.hget(this.#stored, MARK));
    if (mark !== null && mark !== this.#mark) await this.#read();
  }

  async #read(): Promise<void> {
    const found = await this.home.run((redis) => redis.hgetall(this.#stored));
    this.#mark = found[MARK] ?? null;
    delete found[MARK];
    this.#notes = new Map(Object.entries(found).flatMap(([field, json]) => noteIn(field, json)));
    this.#changed();
  }
}

function isOver({ version }: Stored, hold: Hold | undefined): boolean {
  if (version === undefined) return false;
  return hold === undefined || matchVersion(version, hold).comparison === "changed";
}

/** Anybody may have written there: what does not read as a note is none. */
function noteIn(field: string, json: string): [Key, Stored][] {
  const path = keyOfPath(field);
  try {
    return path.ok ? [[path.key, Stored.parse(JSON.parse(json))]] : [];
  } catch {
    return [];
  }
}
