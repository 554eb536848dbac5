const FIELDS = ["key", "owner", "format", "kind", "verdict"] as const;
type Field = (typeof FIELDS)[number];
const FIELD_AND_GLOB = new RegExp(`^(${FIELDS.join("|")}):(.+)$`, "s");

/** A filter's words: `FIELD:GLOB`, or plain text. All must match, without regard to case. */
export type FilterTerm = { field: Field; glob: string } | { field: "any"; text: string };

export interface FilterSubject {
  readonly key: string;
  readonly owners: readonly string[];
  /** Texts of the owner records. */
  readonly records: readonly string[];
  /** Its format, and what else it may be. */
  readonly formats?: readonly string[];
  readonly kind?: string;
  readonly verdict?: string;
}

export function parseFilter(filter: string): FilterTerm[] {
  return filter
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => {
      const [, name, glob] = FIELD_AND_GLOB.exec(word) ?? [];
      const field = FIELDS.find((each) => each === name);
      if (field !== undefined && glob !== undefined) return { field, glob: glob.toLowerCase() };
      return { field: "any" as const, text: word.toLowerCase() };
    });
}

const TEXTS_OF: Readonly<Record<Field, (subject: FilterSubject) => readonly string[]>> = {
  key: ({ key }) => [key],
  owner: ({ owners }) => owners,
  format: ({ formats }) => formats ?? [],
  kind: ({ kind }) => (kind === undefined ? [] : [kind]),
  verdict: ({ verdict }) => (verdict === undefined ? [] : [verdict]),
};

export function matchesFilter(terms: readonly FilterTerm[], subject: FilterSubject): boolean {
  return terms.every((term) => {
    if (term.field !== "any")
      return TEXTS_OF[term.field](subject).some((text) => matchesGlob(term.glob, text.toLowerCase()));
    return [subject.key, ...subject.owners, ...subject.records].some((text) =>
      text.toLowerCase().includes(term.text),
    );
  });
}

/**
 * `*` stands for any run of characters and `?` for one. Two pointers with one point of return: linear in
 * practice and quadratic at worst, so a filter cannot be made to hang the server as a regular expression could.
 */
export function matchesGlob(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (glob[g] === "*") {
      star = g++;
      resume = t;
    } else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star >= 0) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (glob[g] === "*") g++;
  return g === glob.length;
}
