"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, TEXTAREA_CLASS } from "@/components/ui/field.tsx";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { NOTE_CHARACTERS_MAX } from "@/lib/contract/limits.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useSaveNote } from "@/lib/queries/lock-actions.ts";
import { toLockPath } from "../lock-facts/lock-path.ts";
import type { ActionSheetProps } from "./action-sheet-props.ts";

export function NoteSheet({ lock, onClose, finalFocus }: ActionSheetProps) {
  const all = useMessages(lockParts);
  const messages = all.noteSheet;
  const { hello } = useLiveState();
  const write = useSaveNote(toLockPath(lock));
  const [text, setText] = useState(lock.note?.text ?? "");
  const [about, setAbout] = useState<"hold" | "key">(getInitialScope(lock));
  const blocked = write.isPending
    ? all.waitForAnswer
    : text.trim() === "" && lock.note === undefined
      ? messages.empty
      : null;
  const send = (note: string) => {
    const stated =
      about === "hold" && note !== "" && lock.version !== null ? { expectedVersion: lock.version } : {};
    write.mutate({ note, ...stated }, { onSuccess: onClose });
  };
  return (
    <Sheet
      title={messages.title}
      onClose={onClose}
      finalFocus={finalFocus}
      onEdit={() => write.isError && write.reset()}
      onSubmit={() => blocked === null && send(text.trim())}
      note={hello !== null && messages.by(hello.operator.name)}
      actions={
        <>
          {lock.note !== undefined && (
            <Button blocked={blocked} onClick={() => send("")}>
              {messages.remove}
            </Button>
          )}
          <Button type="submit" variant="primary" blocked={blocked}>
            {messages.save}
          </Button>
        </>
      }
    >
      <ProblemNote problem={write.error} />
      <Field label={messages.label} hint={messages.hint}>
        {(field) => (
          <textarea
            {...field}
            rows={4}
            value={text}
            maxLength={NOTE_CHARACTERS_MAX}
            onChange={(event) => setText(event.target.value)}
            placeholder={messages.example}
            className={TEXTAREA_CLASS}
          />
        )}
      </Field>
      {lock.version !== null && (
        <fieldset className="flex flex-col gap-1.5">
          <legend className="pb-1.5 text-ink-2">{messages.about}</legend>
          {(["hold", "key"] as const).map((choice) => (
            <label key={choice} className="flex cursor-pointer items-center gap-2">
              <input
                type="radio"
                name="about"
                checked={about === choice}
                onChange={() => setAbout(choice)}
                className="size-[13px] accent-accent"
              />
              {choice === "hold" ? messages.hold : messages.key}
            </label>
          ))}
        </fieldset>
      )}
    </Sheet>
  );
}

function getInitialScope({ note, version }: Lock): "hold" | "key" {
  return version === null ? "key" : (note?.about ?? "hold");
}
