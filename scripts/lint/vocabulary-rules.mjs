/**
 * Words that Lockkeeper's documents, comments and messages do not use, and their replacements. docs/glossary.md defines
 * the terms.
 * `only` restricts a rule to files whose path starts with one of its entries.
 */
export const RULES = [
  {
    pattern: /\btold\b|\btells?\b/i,
    use: "reports, returns, shows; 'cannot be told apart' is 'cannot be distinguished'",
  },
  { pattern: /\bsays\b/i, use: "states, shows, returns" },
  { pattern: /\bheard\b/i, use: "renewed, received, noticed" },
  { pattern: /(?<![`.])\banew\b(?![`:,])/i, use: "again" },
  { pattern: /\bgo(es|ne|ing)? through\b/i, use: "scan, read, verify" },
  { pattern: /\bwants? a look\b/i, use: "needs attention" },
  { pattern: /\blaps(e|es|ed|ing)\b/i, use: "expire" },
  {
    pattern: /\b[Ww]hoever\b|(?<![`"])\b[Nn]obody\b|\b[Ee]verybody\b/,
    use: "the client, operator or caller that …; no client; all clients",
  },
  { pattern: /\bwho (wait|ask)s?\b|\bwho has it\b/i, use: "waiters, clients that poll, the holder" },
  { pattern: /\blets? go of\b/i, use: "releases" },
  { pattern: /\b(freed|frees|freeing)\b/i, use: "released, releases; memory is reclaimed" },
  { pattern: /\bgives? back\b|\bgave back\b|\bgiven back\b/i, use: "releases, returns, withdraws" },
  { pattern: /\bkept off\b|\bkeeps? \w+ off\b|\bheld off\b/i, use: "reserve" },
  { pattern: /(?<!failover[ -])\bhold[- ]off\b/i, use: "reservation, reserve" },
  { pattern: /(?<!there |instead )\b(of|is|are|was|were) none\b/i, use: "is not …; say what it is not" },
  { pattern: /\bmend(s|ed|ing)?\b/i, use: "fix, repair" },
  { pattern: /\b(un)?tick(ed|s)? (the|all|a) (row|lock|box)/i, use: "select, clear the selection" },
  { pattern: /\bthe picture\b/i, use: "the index, snapshot or state" },
  { pattern: /\b(tale|story)\b/i, use: "events, history" },
  { pattern: /\bstands? (below|beside|first|still|in|at|on|there|above)\b/i, use: "is" },
  { pattern: /\b(is|are|was|were|be|been) away\b/i, use: "is unreachable, disconnected" },
  { pattern: /\bgo(es)? on\b/i, use: "continues" },
  { pattern: /\b(can|could|cannot)( not)? be had\b/i, use: "is unavailable" },
  { pattern: /\bas (may|many|much) (be|as may be)\b/i, use: "the limit; name it" },
  { pattern: /\blook(s|ed) at\b/i, use: "reads, inspects, checks" },
  { pattern: /\btaken (by|with|without|together)\b/i, use: "acquired" },
  { pattern: /\b(time|lease) is over\b/i, use: "has expired" },
  { pattern: /\ban? (lock|key|slot|process|target|waiter|tab) (and|or) not\b/i, use: "per lock, per key" },
  { pattern: /\b(is|are|was|were) to be\b/i, use: "must be, will be" },
  { pattern: /\bagain and again\b/i, use: "repeatedly; clients poll" },
  { pattern: /\bwords? of (a|the|our) script\b|\bthe word of\b/i, use: "event" },
  { pattern: /\b(came|became|becomes|comes) of\b/i, use: "the result of" },
  { pattern: /\bby (its|their) looks\b/i, use: "by key and value" },
  { pattern: /\bwhat is there\b/i, use: "the value; name it" },
];

/** Files that may contain the retired words because they list them or quote the output of other programs. */
export const EXEMPT = [
  "scripts/lint/vocabulary-rules.mjs",
  "docs/glossary.md",
  "docs/decisions/0003-wire-names.md",
  "CHANGELOG.md",
];

/** Folders whose text has not been rewritten yet. Do not add to this list. */
export const PENDING = [];
