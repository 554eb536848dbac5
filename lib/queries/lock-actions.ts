"use client";

import { useMutation } from "@tanstack/react-query";
import type { Extended, ExtendInput } from "@/lib/contract/actions/extend.ts";
import type { Noted, NoteInput } from "@/lib/contract/actions/note.ts";
import { ask, at, type Failure, send } from "../api/request.ts";
import { useTargetName } from "./targets.ts";

/** Gives the hold that was seen more time. */
export function useExtend(path: string) {
  const target = useTargetName();
  return useMutation<Extended, Failure, ExtendInput>({
    mutationFn: (input) =>
      ask(send("POST", at(`/locks/${path}/extend`, target), input), (wire, json) => wire.readExtended(json)),
  });
}

/** What stands at the lock for whoever looks next; empty: nothing any more. */
export function useNote(path: string) {
  const target = useTargetName();
  return useMutation<Noted, Failure, NoteInput>({
    mutationFn: (input) =>
      ask(send("POST", at(`/locks/${path}/note`, target), input), (wire, json) => wire.readNoted(json)),
  });
}
