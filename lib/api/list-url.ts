import { at, BASE, type TargetName } from "./request.ts";

/** The API's own address of a search of the list. */
export function listUrl({ filter, sort }: { filter: string; sort: string }, target: TargetName): string {
  return BASE + at("/locks", target, { filter: filter === "" ? undefined : filter, sort });
}
