import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { zh } from "./zh/messages.ts";

type Leaf = string | ((...parts: never[]) => unknown);

const HERE = import.meta.dirname;

/** Chinese messages that need no Han characters, with the reasons. */
const NEEDS_NO_HAN: ReadonlyMap<string, string> = new Map([
  ["bulk.between", "punctuation alone"],
  ["bulk.colon", "punctuation alone"],
  ["bulk.progress", "punctuation alone"],
  ["facets.join", "punctuation alone"],
  ["lockPage.fence", "the Chinese term is the English one"],
  ["release.fence", "the Chinese term is the English one"],
  ["docs.needsOf", "punctuation alone"],
  ["emptyLocks.neverReached.aside", "punctuation alone"],
  ["events.between", "punctuation alone"],
  ["docs.between", "punctuation alone"],
  ["docs.limits.separator", "punctuation alone"],
  ["audit.details.fence", "the term is English"],
  ["events.fence", "the term is English"],
  ["eventsPage.details.fence", "the term is English"],
  ["eventsPage.details.id", "the term is English"],
  ["targets.masters.persistence.aof", "the name of a Redis feature"],
  ["targets.masters.atLeast", "the name of a Redis setting"],
  ["formats.sentenceEnd", "punctuation alone"],
  ["targets.between", "punctuation alone"],
  ["settings.roleAt", "punctuation alone"],
  ["settings.listOf", "punctuation alone"],
  ["lock.joined", "punctuation alone"],
  ["lock.livenessWith", "punctuation alone"],
  ["lock.votes.and", "punctuation alone"],
  ["lock.votes.after", "punctuation alone"],
  ["timeline.sentences", "punctuation alone"],
  ["lock.onHost", "punctuation alone"],
  ["lock.theReservation", "nothing is added"],
  ["releaseRequest.mark", "punctuation alone"],
  ["releaseRequest.quoted", "punctuation alone"],
  ["lockPage.ofKind", "punctuation alone"],
  ["lockPage.layout", "punctuation alone"],
  ["lockPage.role", "punctuation alone"],
  ["lockPage.sinceHow.exact", "an empty text"],
  ["lockParts.raw.master", "punctuation alone"],
  ["lockParts.typical.p50", "a symbol"],
  ["lockParts.typical.p95", "a symbol"],
]);

function leavesOf(value: unknown, path: string): [path: string, leaf: Leaf][] {
  if (typeof value === "string" || typeof value === "function") return [[path, value as Leaf]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    leavesOf(inner, path === "" ? name : `${path}.${name}`),
  );
}

/** Returns the namespace of a file, such as `keysHelp` for `keys-help.ts`. */
function namespaceOf(file: string): string {
  return file.replace(/\.tsx?$/, "").replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Lists the paths of messages that are `null` in English, because the English console shows the server's message
 * instead. Other languages must define these messages.
 */
function pathsLeftToServer(value: unknown, path: string): string[] {
  if (value === null) return [path];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => pathsLeftToServer(inner, `${path}.${name}`));
}

/** Lists the files with English messages. Excludes `messages.ts`, which contains only types. */
function englishFiles(): string[] {
  return readdirSync(join(HERE, "en")).filter((file) => file !== "messages.ts");
}

async function englishOf(namespace: string): Promise<unknown> {
  const file = englishFiles().find((name) => namespaceOf(name) === namespace);
  expect(file, `lib/i18n/en has a file ${namespace}`).toBeDefined();
  const module: Record<string, unknown> = await import(join(HERE, "en", file ?? ""));
  return Object.values(module).find((each) => (each as { namespace?: string }).namespace === namespace);
}

describe.each(Object.entries(zh))("messages of %s", (namespace, chinese) => {
  test("the messages have the same keys and parameters in both languages", async () => {
    const english = new Map(leavesOf(await englishOf(namespace), namespace));
    const other = new Map(leavesOf(chinese, namespace));
    const leftToServer = pathsLeftToServer(await englishOf(namespace), namespace);
    const paths = [...other.keys()].filter(
      (path) => !leftToServer.some((each) => `${path}.`.startsWith(`${each}.`)),
    );
    expect(paths.sort()).toEqual([...english.keys()].sort());
    for (const [path, leaf] of english) {
      const twin = other.get(path);
      expect(typeof twin, path).toBe(typeof leaf);
      if (typeof leaf === "function") expect((twin as Leaf).length, path).toBeLessThanOrEqual(leaf.length);
    }
  });

  test("the Chinese messages are written in Chinese", () => {
    const foreign = leavesOf(chinese, namespace)
      .filter(
        ([path, leaf]) =>
          !NEEDS_NO_HAN.has(path) &&
          path !== `${namespace}.namespace` &&
          !/[\p{Script=Han}，；]/u.test(String(leaf)),
      )
      .map(([path]) => path);
    expect(foreign).toEqual([]);
  });
});

/** Returns the string literals of a message, with each placeholder replaced by a zero byte. */
function textsOf(leaf: Leaf): string[] {
  if (typeof leaf === "string") return [leaf];
  return [...String(leaf).matchAll(/`([^`]*)`|"([^"]*)"/g)].map(([, template, plain]) =>
    (template ?? plain ?? "").replace(/\$\{[^{}]*\}/g, "\0"),
  );
}

const LATIN_BESIDE_HAN = /\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9%]\p{Script=Han}/u;
const HALF_WIDTH_BESIDE_HAN = /\p{Script=Han}[,;:!?()]|[,;!?()]\p{Script=Han}/u;

test("Chinese text uses Chinese punctuation and a space next to Latin text", () => {
  const wrong = leavesOf(zh, "").flatMap(([path, leaf]) =>
    textsOf(leaf)
      .filter((text) => LATIN_BESIDE_HAN.test(text) || HALF_WIDTH_BESIDE_HAN.test(text))
      .map((text) => `${path}: ${text}`),
  );
  expect(wrong).toEqual([]);
});

test("every English namespace has Chinese messages", () => {
  expect(Object.keys(zh).sort()).toEqual(englishFiles().map(namespaceOf).sort());
});

/** Folders whose components may contain text outside the message catalog. Must stay empty. */
const NOT_YET: readonly string[] = [];
/** Files that contain names of libraries, which are not translated. */
const NAMES = ["lock-facts/format-labels.ts"];
const COMPONENTS = join(HERE, "../../components");
const TEXT_IN_CODE = [
  // Matches a string that contains a sentence. Excludes messages of thrown errors, which only developers read.
  /(?<!Error\()["`][A-Z][a-z]+,? [a-z]+[^"`\n]*["`]/,
  /\s(?:aria-label|aria-description|title|placeholder|label|alt|hint|what|name)="[^"]*[A-Za-z]{2}[^"]* [^"]*"/,
  /\s(?:aria-label|title|placeholder|label|alt)="[A-Z][^"]*"/,
];

test("components contain no text outside the message catalog", () => {
  const found = readdirSync(COMPONENTS, { recursive: true, encoding: "utf8" })
    .filter((file) => !NOT_YET.includes(file.split("/")[0] ?? ""))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !NAMES.includes(file))
    .filter((file) => {
      const text = readFileSync(join(COMPONENTS, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
      return TEXT_IN_CODE.some((pattern) => pattern.test(text));
    });
  expect(found).toEqual([]);
});
