"use client";

import { useMutation } from "@tanstack/react-query";
import type { Extended, ExtendInput } from "@/lib/contract/actions/extend.ts";
import type { NoteInput, NoteResult } from "@/lib/contract/actions/note.ts";
import type { RequestReleaseInput } from "@/lib/contract/actions/release-request.ts";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import { type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";
import { useTargetName } from "./targets.ts";

/** Returns a mutation that extends the lease of the hold that the operator last saw. */
export function useExtendLease(path: string) {
  const target = useTargetName();
  return useMutation<Extended, RequestError, ExtendInput>({
    mutationFn: (input) =>
      requestJson(sendRequest("POST", withTarget(`/locks/${path}/extend`, target), input), (wire, json) =>
        wire.readExtended(json),
      ),
  });
}

/** Returns a mutation that saves a lock's note, or removes the note if the text is empty. */
export function useSaveNote(path: string) {
  const target = useTargetName();
  return useMutation<NoteResult, RequestError, NoteInput>({
    mutationFn: (input) =>
      requestJson(sendRequest("POST", withTarget(`/locks/${path}/note`, target), input), (wire, json) =>
        wire.readSavedNote(json),
      ),
  });
}

/** Returns a mutation that sends a release request to the holder that the operator last saw. */
export function useRequestRelease(path: string) {
  const target = useTargetName();
  return useMutation<ReleaseRequest, RequestError, RequestReleaseInput>({
    mutationFn: (input) =>
      requestJson(
        sendRequest("POST", withTarget(`/locks/${path}/request-release`, target), input),
        (wire, json) => wire.readReleaseRequest(json),
      ),
  });
}
