"use client";

import { API_BASE, NetworkError, readError, sendRequest, type TargetName, withTarget } from "./request.ts";

export type ExportFormat = "csv" | "jsonl";

export interface ExportProgress {
  /** Number of locks received. */
  done: number;
  /**
   * Number of locks that match the filter; `undefined` if the server does not report the number. An export contains at
   * most 100,000 of these locks.
   */
  total: number | undefined;
}

interface ExportRequest {
  readonly filter: string;
  readonly sort: string;
}

const LINE_FEED_BYTE = 10;

const buildExportPath = (format: ExportFormat, { filter, sort }: ExportRequest, target: TargetName) =>
  withTarget("/export/locks", target, { format, filter: filter === "" ? undefined : filter, sort });

/**
 * Builds the URL, without the origin, from which a browser can download the export directly. The browser's session
 * authorizes the download.
 */
export function buildLocksExportUrl(format: ExportFormat, wanted: ExportRequest, target: TargetName): string {
  return API_BASE + buildExportPath(format, wanted, target);
}

/**
 * Downloads the matching locks and returns them as a file. Calls `onProgress` whenever a part of the response arrives.
 *
 * @throws ApiProblem if the server refused the export; NetworkError if there is no usable response, the response was
 * interrupted, or the signal was aborted
 */
export async function exportLocks(
  format: ExportFormat,
  wanted: ExportRequest,
  target: TargetName,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
): Promise<{ name: string; file: Blob }> {
  const response = await sendRequest("GET", buildExportPath(format, wanted, target), undefined, signal);
  if (!response.ok) throw await readError(response);
  const declaredTotal = Number(response.headers.get("x-total-count") ?? Number.NaN);
  const total = Number.isNaN(declaredTotal) ? undefined : declaredTotal;
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  // Starts at -1 for CSV, because the header line is not a lock.
  let done = format === "csv" ? -1 : 0;
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      const share = await reader.read();
      if (share.done) break;
      parts.push(share.value);
      for (const byte of share.value) if (byte === LINE_FEED_BYTE) done++;
      onProgress({ done: Math.max(0, done), total });
    }
  } catch {
    throw new NetworkError("broken_off");
  }
  return { name: name ?? `locks.${format}`, file: new Blob(parts) };
}
