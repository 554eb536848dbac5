/** Possible locks that the list leaves out. */
export const unlisted = {
  namespace: "unlisted" as const,
  count: (count: number, text: string) => (count === 1 ? "1 possible lock" : `${text} possible locks`),
  some: "Possible locks",
  why: "Strings under lock-like names. Not listed because your application may use them for something else.",
  notListed: (count: number, text: string) =>
    count === 1
      ? "1 possible lock is not listed: a string under a lock-like name, which your application may use for something else."
      : `${text} possible locks are not listed: strings under lock-like names, which your application may use for something else.`,
  show: "Show possible locks",
  searchThem: "Search possible locks too",
  possible:
    "This may not be a lock: only its name and type suggest it. To release it, choose its format first.",
  unlisted: "It is not listed, needs no attention and has no events.",
  addRule: "Add a format rule to list such keys",
};
