import { API_BASE, type TargetName, withTarget } from "./request.ts";

/** The API's own address of a search of the list. */
export function buildListUrl({ filter, sort }: { filter: string; sort: string }, target: TargetName): string {
  return API_BASE + withTarget("/locks", target, { filter: filter === "" ? undefined : filter, sort });
}
