import { randomBytes } from "node:crypto";
import { z } from "zod";
import { NOTE_DAYS_MAX, NOTES_MAX } from "../../../lib/contract/actions/note.ts";
import { NOTE_CHARACTERS_MAX } from "../../../lib/contract/limits.ts";
import type { Note } from "../../../lib/contract/lock.ts";
import { encodeKeyPath, type Key, parseKeyPath } from "../../../lib/keys/key.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";
import { Script } from "../../redis/script.ts";
import { matchVersion } from "../holds/hold-version.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

/**
 * Hash field whose value changes with each write to the notes, so that other instances read them again. The field is
 * not a note.
 */
const CHANGE_MARK_FIELD = "";
const POLL_INTERVAL_MS = 2000;
const RETENTION_MS = NOTE_DAYS_MAX * 86_400_000;

const StoredNote = z.object({
  text: z.string().min(1).max(NOTE_CHARACTERS_MAX),
  by: z.string(),
  at: z.number(),
  /** Version of the hold that the note is about. If missing, the note is about the key. */
  version: z.string().optional(),
});
type StoredNote = z.infer<typeof StoredNote>;

const restoreScript = new Script<[string], string[], "restored" | "kept">(
  new URL("notes-restore.lua", import.meta.url),
  (reply) => (String(reply) === "restored" ? "restored" : "kept"),
);

interface NoteChanges {
  readonly written?: readonly (readonly [Key, StoredNote])[];
  readonly removed?: readonly Key[];
}

/**
 * Operators' notes on the locks of a target. The home store contains the notes, so the locks of read-only targets can
 * also have notes. Every instance keeps all notes in memory, and reads changes by other instances within seconds.
 */
export class Notes {
  #notes = new Map<Key, StoredNote>();
  #mark: string | null = null;
  #emitChange: () => void = () => undefined;
  readonly #redisKey: string;
  #stopPolling: () => void = () => undefined;

  private constructor(
    private readonly home: HomeStore,
    target: string,
  ) {
    this.#redisKey = `${HOME_PREFIX}notes:${target}`;
  }

  static async open(home: HomeStore, target: string): Promise<Notes> {
    const notes = new Notes(home, target);
    await home.whenAvailable(() => notes.#read());
    home.onEmptied(() => notes.#restore());
    notes.#stopPolling = home.startPolling(POLL_INTERVAL_MS, () => notes.#pollChanges());
    return notes;
  }

  close(): void {
    this.#stopPolling();
  }

  /** Sets the listener that is called when this or another instance changes a note. */
  onChange(listener: () => void): void {
    this.#emitChange = listener;
  }

  /**
   * Returns the note about the key, or `undefined` if there is no note. Ignores a note whose retention period or hold
   * has ended.
   *
   * @param hold the current hold of the key
   */
  find(key: Key, hold: ObservedHold | undefined): Note | undefined {
    if (this.#notes.size === 0) return undefined;
    const note = this.#notes.get(key);
    if (note === undefined || hasEnded(note, hold) || note.at + RETENTION_MS < Date.now()) return undefined;
    const { text, by, at, version } = note;
    return { text, by, at, about: version === undefined ? "key" : "hold" };
  }

  /**
   * Stores the note about a key, or removes the note if `text` is empty. Storing a note also removes expired notes, and
   * the oldest notes if there are more than `NOTES_MAX`.
   *
   * @param version version of the hold that the note is about; `undefined` for a note about the key
   *
   * @throws LockkeeperError unavailable, unknown_outcome
   */
  async set(key: Key, text: string, by: string, version: string | undefined): Promise<void> {
    if (text === "") return await this.#write({ removed: [key] });
    const about = version === undefined ? {} : { version };
    const note: StoredNote = { text, by, at: Date.now(), ...about };
    const others = [...this.#notes].filter(([other]) => other !== key);
    const oldest = others.sort(([, a], [, b]) => b.at - a.at).slice(NOTES_MAX - 1);
    const outdated = others.filter(([, { at }]) => at + RETENTION_MS < Date.now());
    const removed = new Set([...oldest, ...outdated].map(([other]) => other));
    await this.#write({ written: [[key, note]], removed: [...removed] });
  }

  /** Removes the note about the key if the note is about a hold that has ended. */
  removeIfEnded(key: Key, hold: ObservedHold | undefined): void {
    if (this.#notes.size === 0) return;
    const note = this.#notes.get(key);
    if (note === undefined || !hasEnded(note, hold)) return;
    this.#notes.delete(key);
    // If the home store is unreachable, the note remains stored. `find` ignores the note, because its version does not
    // match the current hold.
    void this.#write({ removed: [key] }).catch(() => undefined);
  }

  async #write({ written = [], removed = [] }: NoteChanges): Promise<void> {
    if (written.length + removed.length === 0) return;
    const mark = createMark();
    const fields = written.map(([key, note]) => [encodeKeyPath(key), JSON.stringify(note)] as const);
    await this.home.run(async (redis) => {
      const commands = redis
        .multi()
        .hset(this.#redisKey, Object.fromEntries([[CHANGE_MARK_FIELD, mark], ...fields]));
      if (removed.length > 0) commands.hdel(this.#redisKey, ...removed.map(encodeKeyPath));
      await commands.exec();
    });
    for (const [key, note] of written) this.#notes.set(key, note);
    for (const key of removed) this.#notes.delete(key);
    this.#emitChange();
  }

  /**
   * Writes the notes to a home store that has lost its data. If another instance has written notes since the loss,
   * reads those.
   */
  async #restore(): Promise<void> {
    if (this.#notes.size === 0) return;
    const fields = [...this.#notes].flatMap(([key, note]) => [encodeKeyPath(key), JSON.stringify(note)]);
    const outcome = await this.home.run((redis) =>
      restoreScript.run(redis, [this.#redisKey], [CHANGE_MARK_FIELD, createMark(), ...fields]),
    );
    if (outcome === "kept") await this.#read();
  }

  async #pollChanges(): Promise<void> {
    const mark = await this.home.callOnce((redis) => redis.hget(this.#redisKey, CHANGE_MARK_FIELD));
    if (mark !== null && mark !== this.#mark) await this.#read();
  }

  async #read(): Promise<void> {
    const found = await this.home.run((redis) => redis.hgetall(this.#redisKey));
    this.#mark = found[CHANGE_MARK_FIELD] ?? null;
    delete found[CHANGE_MARK_FIELD];
    this.#notes = new Map(Object.entries(found).flatMap(([field, json]) => parseNote(field, json)));
    this.#emitChange();
  }
}

function createMark(): string {
  return randomBytes(9).toString("base64url");
}

function hasEnded({ version }: StoredNote, hold: ObservedHold | undefined): boolean {
  if (version === undefined) return false;
  return hold === undefined || matchVersion(version, hold).comparison === "changed";
}

/**
 * Parses a stored note. Returns an empty list if the field is invalid, because other clients can write to the home
 * store.
 */
function parseNote(field: string, json: string): [Key, StoredNote][] {
  const path = parseKeyPath(field);
  try {
    return path.ok ? [[path.key, StoredNote.parse(JSON.parse(json))]] : [];
  } catch {
    return [];
  }
}
