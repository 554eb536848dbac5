import { expect, type Page } from "@playwright/test";

/** Commands, HTTP headers, technical terms and product names that are not translated. */
const SAME_EVERYWHERE = [
  /npm run [\w:]+/g,
  /lockkeeper audit verify/g,
  /fencing token/g,
  /Bearer/g,
  /YYYY-MM-DD HH:MM/g,
  /(?:⌘|Ctrl )K/g,
  /notify-keyspace-events/g,
  /HTTP API/g,
  /POSIX shell/g,
  /fencing token/g,
  /SET NX PX/g,
  /Redis (?:Cluster|Sentinel)/g,
];

/** Names that may be the entire text of a label. */
const NAMES = [
  "Lockkeeper",
  "English",
  "Redis",
  "API",
  "AOF",
  "CSV",
  "JSON",
  "JSONL",
  "curl",
  "Shell",
  "TypeScript",
  "Python",
  "Java",
];

interface PageText {
  text: string;
  /** Whether the text is a label: the name of a control, a heading or a column. */
  isLabel: boolean;
}

/** Collects all visible and accessible text. Skips data, which is marked with `translate="no"`. */
function collectTexts(page: Page): Promise<PageText[]> {
  return page.evaluate(() => {
    const DATA = "[translate=no], [lang=en], code, pre, kbd, script, style, noscript, template, bdi, svg";
    const LABEL = "button, a, label, th, dt, h1, h2, h3, h4, legend, option, summary";
    const ATTRIBUTES = ["aria-label", "title", "placeholder", "alt", "aria-description", "aria-valuetext"];
    const texts: PageText[] = [];
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest(DATA) !== null || element.closest("[hidden]") !== null) continue;
      for (const name of ATTRIBUTES)
        texts.push({ text: element.getAttribute(name) ?? "", isLabel: name === "aria-label" });
      const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      const text = own.map(({ textContent }) => textContent).join("");
      texts.push({ text, isLabel: element.matches(LABEL) });
    }
    interface PageText {
      text: string;
      isLabel: boolean;
    }
    return texts.filter(({ text }) => text.trim() !== "");
  });
}

/** Asserts that the page contains no two consecutive English words, and no label that consists of an English word. */
export async function assertChinese(page: Page, what: string): Promise<void> {
  await expect.poll(() => findEnglish(page), what).toEqual([]);
}

async function findEnglish(page: Page): Promise<string[]> {
  const foreign = (await collectTexts(page)).filter(({ text, isLabel }) => {
    const rest = SAME_EVERYWHERE.reduce((left, same) => left.replace(same, ""), text);
    if (/[A-Za-z][A-Za-z'’]+ [A-Za-z][A-Za-z'’]+/.test(rest)) return true;
    const isOneWord = /^[A-Za-z]{3,}[….]?$/.test(rest.trim());
    return isLabel && isOneWord && !NAMES.includes(rest.trim());
  });
  return foreign.map(({ text }) => text.trim().slice(0, 100));
}
