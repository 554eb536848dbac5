/** Returns a string-like value that counts how often it is read, and throws after more than `most` reads. */
export function countReads(text: string, most: number): { text: string; reads: () => number } {
  let reads = 0;
  const proxy = new Proxy(Object(text) as object, {
    get(target, name) {
      if (++reads > most) throw new Error(`read more than ${most} times`);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { text: proxy as unknown as string, reads: () => reads };
}
