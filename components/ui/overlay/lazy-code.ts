"use client";

import { useEffect, useState } from "react";

/** Code that is loaded on demand. After a failure, `load` can be called again, unlike with `React.lazy`. */
export interface LazyCode<Code> {
  load(): Promise<Code>;
  /** Returns the code; `undefined` until it is loaded. */
  get(): Code | undefined;
  /**
   * Loads the code when the browser is idle, at least 3 s after the page has loaded. Ignores failures, because a later
   * call to `load` retries.
   */
  preload(): void;
}

/**
 * Delay before preloading, in ms. On a slow network, the browser is also idle while it waits for the first rows, which
 * preloading must not delay.
 */
const PRELOAD_DELAY_MS = 3000;
const IDLE_TIMEOUT_MS = 5000;

function runWhenIdle(run: () => void): void {
  if (typeof window === "undefined") return;
  const runIdly = () => {
    if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: IDLE_TIMEOUT_MS });
    else run();
  };
  const schedule = () => setTimeout(runIdly, PRELOAD_DELAY_MS);
  if (document.readyState === "complete") schedule();
  else addEventListener("load", schedule, { once: true });
}

export function createLazyCode<Code extends object>(importCode: () => Promise<Code>): LazyCode<Code> {
  let loaded: Code | undefined;
  let loading: Promise<Code> | undefined;
  const load = () => {
    loading ??= importCode().then(
      (code) => {
        loaded = code;
        return code;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  return {
    load,
    get: () => loaded,
    preload: () => runWhenIdle(() => void load().catch(() => undefined)),
  };
}

export type LazyCodeState<Code> =
  | { is: "loading" }
  | { is: "loaded"; code: Code }
  | { is: "failed"; retry(): void };

/**
 * Loads the code when the component is mounted. Returns whether the code is loading, loaded (with the code), or failed
 * to load (with a function that retries).
 */
export function useLazyCode<Code>(lazy: LazyCode<Code>): LazyCodeState<Code> {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<"loading" | "failed">("loading");
  const [code, setCode] = useState(lazy.get());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt reloads the code
  useEffect(() => {
    let isMounted = true;
    lazy.load().then(
      (next) => isMounted && setCode(next),
      () => isMounted && setResult("failed"),
    );
    return () => {
      isMounted = false;
    };
  }, [lazy, attempt]);
  if (code !== undefined) return { is: "loaded", code };
  if (result === "loading") return { is: "loading" };
  return {
    is: "failed",
    retry() {
      setResult("loading");
      setAttempt(attempt + 1);
    },
  };
}
