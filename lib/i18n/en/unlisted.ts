/** Messages for unlisted locks: possible locks that the list omits. */
export const unlisted = {
  namespace: "unlisted" as const,
  count: (count: number, text: string) => (count === 1 ? "1 possible lock" : `${text} possible locks`),
  some: "Possible locks",
  why: "Strings with lock-like keys. They are not listed because your application may use them for something else.",
  notListed: (count: number, text: string) =>
    count === 1
      ? "1 possible lock is not listed: a string with a lock-like key, which your application may use for something else."
      : `${text} possible locks are not listed: strings with lock-like keys, which your application may use for something else.`,
  show: "Show possible locks",
  searchThem: "Search possible locks too",
  possible:
    "This may not be a lock: only its key and type suggest that it is one. To release it, select its format first.",
  unlisted: "It is not listed, never needs attention and has no events.",
  addRule: "Add a format rule to list such keys",
};
