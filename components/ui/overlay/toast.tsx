"use client";

import { type ReactNode, useEffect, useState } from "react";

const SHOWN_MS = 2500;

export interface Toast {
  /**
   * The element that shows the message. Render it even while it is empty, because screen readers announce only changes
   * to an existing element.
   */
  note: ReactNode;
  showToast(text: ReactNode): void;
}

/**
 * Returns a toast that shows short confirmations. Screen readers announce each confirmation. Confirmations disappear
 * after 2.5 s and do not shift the layout.
 */
export function useToast(): Toast {
  const [content, setContent] = useState<{ text: ReactNode; at: number }>({ text: "", at: 0 });
  useEffect(() => {
    if (content.text === "") return;
    const timer = setTimeout(() => setContent({ text: "", at: 0 }), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [content]);
  return {
    note: (
      <div
        role="status"
        className="pointer-events-none fixed inset-x-0 bottom-5 z-50 flex justify-center px-4"
        data-testid="brief-note"
      >
        {content.text !== "" && (
          <span
            key={content.at}
            className="max-w-full rounded-[14px] bg-ink px-3.5 py-1.5 text-bg shadow-sheet"
          >
            {content.text}
          </span>
        )}
      </div>
    ),
    showToast: (text) => setContent({ text, at: performance.now() }),
  };
}
