"use client";

import { useSyncExternalStore } from "react";

const CHANGED = "lockkeeper:hash";

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  addEventListener(CHANGED, listener);
  return () => {
    removeEventListener("hashchange", listener);
    removeEventListener(CHANGED, listener);
  };
}

function read(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/** What stands behind the # of the address; empty: nothing. Setting it leaves no step in the history. */
export function useHash(): [string, (hash: string) => void] {
  const hash = useSyncExternalStore(subscribe, read, () => "");
  const set = (next: string) => {
    const address = `${location.pathname}${location.search}${next === "" ? "" : `#${encodeURIComponent(next)}`}`;
    history.replaceState(history.state, "", address);
    dispatchEvent(new Event(CHANGED));
  };
  return [hash, set];
}
