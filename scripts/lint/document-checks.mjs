import { dirname, join } from "node:path/posix";

/**
 * @typedef {object} Known
 * @property {(path: string) => boolean} exists returns whether the repository has this file or folder
 * @property {Map<string, Set<string>>} anchors the anchors of each document, by its path
 * @property {Set<string>} scripts names of the npm scripts in package.json
 * @property {Set<string>} variables names of the LOCKKEEPER_ variables in the source files
 */
/** @typedef {{ line: number, message: string }} Finding */

const FOLDERS = "app|components|demo|deploy|docs|e2e|lib|packages|public|scripts|server|test";
const LINK = /\[(?:[^\][]|\[[^\]]*\])*\]\(([^()\s]+)\)/g;
const EXTERNAL = /^(?:[a-z]+:|\/)/i;
const REPOSITORY_PATH = new RegExp(`\`((?:${FOLDERS})/[\\w./@[\\]-]*)\``, "g");
const NPM_SCRIPT = /\bnpm run (?:-s )?([a-z][\w:-]*)/g;
const VARIABLE = /\bLOCKKEEPER_[A-Z0-9_]*[A-Z0-9]\b(?!\*|_\*)/g;
/**
 * Variables whose full name does not occur in the sources: some names are built from a prefix at run time, and
 * Kubernetes sets others for a Service.
 */
const EXEMPT_VARIABLE = /^LOCKKEEPER_(?:BENCH_|E2E_|SERVICE_HOST$|PORT$|PORT_\d+_TCP)/;

/**
 * Returns the broken references of a document. A historical document may refer to files, scripts and variables that no
 * longer exist.
 *
 * @param {string} file path of the document in the repository
 * @param {string} text
 * @param {Known} known
 * @param {{ isHistorical?: boolean }} [options]
 * @returns {Finding[]}
 */
export function checkDocument(file, text, known, { isHistorical = false } = {}) {
  const lines = text.split("\n");
  const code = findCodeLines(lines);
  return lines.flatMap((content, index) => {
    const messages = [
      ...(code.has(index) ? [] : checkLinks(file, content, known)),
      ...(isHistorical ? [] : checkNames(content, known)),
    ];
    return messages.map((message) => ({ line: index + 1, message }));
  });
}

/**
 * @param {string} file
 * @param {string} content
 * @param {Known} known
 */
function checkLinks(file, content, known) {
  const links = Array.from(content.replaceAll(/`[^`]*`/g, "``").matchAll(LINK), ([, link = ""]) => link);
  return links
    .filter((link) => !EXTERNAL.test(link))
    .flatMap((link) => {
      const [path = "", anchor] = decodeURI(link).split("#");
      const target = path === "" ? file : join(dirname(file), path).replace(/\/$/, "");
      if (!known.exists(target)) return [`link to ${link}, but ${target} does not exist`];
      const anchors = known.anchors.get(target);
      if (anchor === undefined || anchors === undefined || anchors.has(anchor)) return [];
      return [`link to ${link}, but ${target} has no heading #${anchor}`];
    });
}

/**
 * @param {string} content
 * @param {Known} known
 */
function checkNames(content, { exists, scripts, variables }) {
  const gone = [...content.matchAll(REPOSITORY_PATH)]
    .map(([, path = ""]) => path.replace(/\/$/, ""))
    .filter((path) => !exists(path) && !exists(`${path}.ts`));
  const unknown = [...content.matchAll(NPM_SCRIPT)]
    .map(([, name = ""]) => name)
    .filter((name) => !scripts.has(name));
  const unread = [...content.matchAll(VARIABLE)]
    .map(([name]) => name)
    .filter((name) => !variables.has(name) && !EXEMPT_VARIABLE.test(name));
  return [
    ...gone.map((path) => `\`${path}\` does not exist`),
    ...unknown.map((name) => `package.json has no script "${name}"`),
    ...unread.map((name) => `no source reads ${name}`),
  ];
}

/**
 * Returns the indexes of lines inside fenced code blocks.
 *
 * @param {string[]} lines
 */
function findCodeLines(lines) {
  const inside = new Set();
  let fence = "";
  for (const [index, line] of lines.entries()) {
    const [, mark = ""] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== "" || mark !== "") inside.add(index);
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
  }
  return inside;
}

/**
 * Returns the anchors that GitHub gives to the headings of a document, and explicit `id` attributes.
 *
 * @param {string} text
 */
export function collectAnchors(text) {
  const lines = text.split("\n");
  const code = findCodeLines(lines);
  /** @type {Map<string, number>} */
  const counts = new Map();
  const anchors = new Set(Array.from(text.matchAll(/<a (?:id|name)="([^"]+)"/g), ([, id = ""]) => id));
  for (const [index, line] of lines.entries()) {
    const [, heading] = /^#{1,6} +(.*?)(?: +#*)?$/.exec(line) ?? [];
    if (heading === undefined || code.has(index)) continue;
    const slug = toAnchor(heading);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** @param {string} heading */
function toAnchor(heading) {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * Returns the names of the LOCKKEEPER_ variables that occur in the given source code.
 *
 * @param {string[]} sources
 */
export function collectVariables(sources) {
  return new Set(sources.flatMap((source) => source.match(/\bLOCKKEEPER_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []));
}
