"use client";

import { useSyncExternalStore } from "react";

const HASH_CHANGE_EVENT = "lockkeeper:hash";

function subscribeToHash(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  addEventListener(HASH_CHANGE_EVENT, listener);
  return () => {
    removeEventListener("hashchange", listener);
    removeEventListener(HASH_CHANGE_EVENT, listener);
  };
}

function readHash(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/**
 * Returns the decoded URL fragment without `#`, and a function that sets the fragment without adding a history entry.
 * The fragment is empty on the server, and if it cannot be decoded.
 */
export function useLocationHash(): [string, (hash: string) => void] {
  const hash = useSyncExternalStore(subscribeToHash, readHash, () => "");
  const set = (next: string) => {
    const address = `${location.pathname}${location.search}${next === "" ? "" : `#${encodeURIComponent(next)}`}`;
    history.replaceState(history.state, "", address);
    dispatchEvent(new Event(HASH_CHANGE_EVENT));
  };
  return [hash, set];
}
