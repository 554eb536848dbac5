import { createContext, useContext } from "react";
import type { LiveStore } from "./live-store.ts";

export const LiveContext = createContext<LiveStore | null>(null);

export function useLiveStore(): LiveStore {
  const store = useContext(LiveContext);
  if (store === null) throw new Error("This component must be rendered inside <LiveProvider>.");
  return store;
}
