import { API_BASE, type TargetName, withTarget } from "./request.ts";

/** Builds the URL, without the origin, of an API request for the locks that match a search. */
export function buildListUrl({ filter, sort }: { filter: string; sort: string }, target: TargetName): string {
  return API_BASE + withTarget("/locks", target, { filter: filter === "" ? undefined : filter, sort });
}
