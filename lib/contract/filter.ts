/** A filter's words: `key:GLOB`, `owner:GLOB`, or plain text. All must match, without regard to case. */
export type FilterTerm =
  | { field: "key"; glob: string }
  | { field: "owner"; glob: string }
  | { field: "any"; text: string };

export interface FilterSubject {
  key: string;
  owners: readonly string[];
  /** Texts of the owner records. */
  records: readonly string[];
}

export function parseFilter(filter: string): FilterTerm[] {
  return filter
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => {
      const [, field, glob] = /^(key|owner):(.+)$/s.exec(word) ?? [];
      if ((field === "key" || field === "owner") && glob !== undefined)
        return { field, glob: glob.toLowerCase() };
      return { field: "any" as const, text: word.toLowerCase() };
    });
}

export function matchesFilter(terms: readonly FilterTerm[], subject: FilterSubject): boolean {
  return terms.every((term) => {
    if (term.field === "key") return matchesGlob(term.glob, subject.key.toLowerCase());
    if (term.field === "owner")
      return subject.owners.some((owner) => matchesGlob(term.glob, owner.toLowerCase()));
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
