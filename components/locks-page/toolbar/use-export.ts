"use client";

import { useEffect, useRef, useState } from "react";
import { type ExportFormat, type ExportProgress, exportLocks } from "@/lib/api/export.ts";
import { useTargetName } from "@/lib/queries/targets.ts";

const SHOWN_EVERY_MS = 100;

export interface LocksExport {
  /** The progress of the export; `null` if none is running. */
  progress: ExportProgress | null;
  begin(format: ExportFormat, wanted: { filter: string; sort: string }): void;
  stop(): void;
}

interface ExportStatus {
  onDone(progress: ExportProgress): void;
  onFailed(error: unknown): void;
}

/**
 * Exports the matching locks and saves them as a file in the browser. Ignores requests for an export while another one
 * is running.
 */
export function useLocksExport({ onDone, onFailed }: ExportStatus): LocksExport {
  const target = useTargetName();
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const stop = () => {
    running.current?.abort();
    running.current = null;
    setProgress(null);
  };
  const run = async (format: ExportFormat, wanted: { filter: string; sort: string }) => {
    const control = new AbortController();
    running.current = control;
    let last: ExportProgress = { done: 0, total: undefined };
    setProgress(last);
    const shown = setInterval(() => control.signal.aborted || setProgress(last), SHOWN_EVERY_MS);
    const note = (next: ExportProgress) => {
      last = next;
    };
    try {
      const { name, file } = await exportLocks(format, wanted, target, note, control.signal);
      saveFile(name, file);
      onDone(last);
    } catch (error) {
      if (!control.signal.aborted) onFailed(error);
    } finally {
      clearInterval(shown);
      if (running.current === control) stop();
    }
  };
  return { progress, begin: (format, wanted) => running.current === null && void run(format, wanted), stop };
}

function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // After 10 s, the browser has read the blob.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
