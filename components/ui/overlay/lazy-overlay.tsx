"use client";

import { type ComponentType, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { LoadFailure } from "../load-failure.tsx";
import { captureKeyboard } from "../overlay-opening.ts";
import { createLazyCode, type LazyCode, useLazyCode } from "./lazy-code.ts";

interface OverlayProps {
  onClose(): void;
  finalFocus?: (() => HTMLElement | null) | undefined;
}

interface OverlayModule<Props> {
  Overlay: ComponentType<Props>;
}

/**
 * When to load the code of an overlay. `idle`: when the page is idle, so that the overlay opens without delay.
 * `on_open`: when the overlay is opened.
 */
type Preload = "idle" | "on_open";

/**
 * Creates a component for a dialog or menu whose code is loaded on demand.
 *
 * Captures the keyboard from the render that opens the overlay until the overlay has the focus, but for no longer than
 * 1 s after the code has loaded. During this time, shortcuts of the console have no effect, and Escape cancels. If the
 * code cannot be loaded, releases the keyboard and shows a notice with the reason.
 */
export function createLazyOverlay<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  preload: Preload = "on_open",
): ComponentType<Props & OverlayProps> {
  const lazy = createLazyCode<OverlayModule<Props>>(async () => ({ Overlay: await load() }));
  if (preload === "idle") lazy.preload();
  return function LazyOverlay(props) {
    return <OpeningOverlay lazy={lazy} props={props} />;
  };
}

/** Time, in ms, after which the keyboard is released even if the overlay has not taken the focus. */
const FOCUS_TIMEOUT_MS = 1000;

function OpeningOverlay<Props extends object>({
  lazy,
  props,
}: {
  lazy: LazyCode<OverlayModule<Props>>;
  props: Props & OverlayProps;
}) {
  const state = useLazyCode(lazy);
  const stopCapture = useRef<() => void>(undefined);
  const cancel = useEffectEvent(() => props.onClose());
  const isFailed = state.is === "failed";
  useLayoutEffect(() => {
    if (isFailed) return;
    stopCapture.current = captureKeyboard(() => cancel());
    return () => stopCapture.current?.();
  }, [isFailed]);
  const isLoaded = state.is === "loaded";
  useEffect(() => {
    if (!isLoaded) return;
    const timer = setTimeout(() => stopCapture.current?.(), FOCUS_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [isLoaded]);
  if (state.is === "loading") return <LoadingNote />;
  if (state.is === "loaded") return <state.code.Overlay {...props} />;
  const close = () => {
    props.onClose();
    props.finalFocus?.()?.focus();
  };
  return <LoadFailure place="overlay" onRetry={state.retry} onClose={close} />;
}

function LoadingNote() {
  const { opening } = useMessages(ui);
  return (
    <p
      role="status"
      className="fixed right-4 bottom-4 z-40 rounded-[10px] border border-line bg-panel px-4 py-2 text-ink-2 shadow-sheet transition-opacity delay-200 duration-150 starting:opacity-0"
    >
      {opening}
    </p>
  );
}
