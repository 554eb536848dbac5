"use client";

import { Popover } from "@base-ui/react/popover";
import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { VIEW_NAME_CHARACTERS_MAX, VIEWS_MAX } from "@/lib/contract/limits.ts";
import type { View } from "@/lib/contract/view.ts";
import { table } from "@/lib/i18n/en/table.tsx";
import { viewTools } from "@/lib/i18n/en/view-tools.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useSaveView } from "@/lib/queries/views.ts";
import { parseColumnSort } from "../columns/column-sorts.ts";
import { buildViewUpdate, createViewId, toSavedView } from "./saved-views.ts";
import type { ViewOverlayProps } from "./view-menu.tsx";

interface ViewFormProps extends ViewOverlayProps {
  /** The view to rename; `undefined` to save the current list as a new view. */
  view: View | undefined;
}

/** Renders the form that saves the current list as a view or renames a view. */
export function ViewForm({ view, saved, anchor, showToast, onClose }: ViewFormProps) {
  const messages = useMessages(viewTools);
  const save = useSaveView();
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(view?.name ?? "");
  const [isShared, setShared] = useState(false);
  const of = isShared ? "team" : "me";
  const isFull = view === undefined && saved.views.filter((each) => each.of === of).length >= VIEWS_MAX;
  const blocked = isFull ? messages.tooMany(VIEWS_MAX) : name.trim() === "" ? messages.nameMissing : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked !== null || save.isPending) return;
    const named = { name: name.trim() };
    const wanted =
      view === undefined
        ? {
            id: createViewId(),
            ...named,
            ...toSavedView(saved.shown),
            of: isShared ? ("team" as const) : ("me" as const),
          }
        : buildViewUpdate(view, named);
    save.mutate(wanted, {
      onSuccess: () => {
        showToast(messages.saved(named.name));
        onClose();
      },
    });
  };
  return (
    <Popover.Root open onOpenChange={(open) => open || onClose()}>
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          sideOffset={6}
          align="start"
          collisionPadding={12}
          className="z-40"
        >
          <Popover.Popup
            initialFocus={input}
            finalFocus={anchor}
            className="w-[320px] max-w-[calc(100vw-1.5rem)] rounded-[10px] border border-line bg-panel p-4 shadow-sheet outline-none"
          >
            <form onSubmit={submit} onChange={save.reset} className="flex flex-col gap-3.5" noValidate>
              <Popover.Title className="font-semibold">
                {view === undefined ? messages.saveTitle : messages.renameTitle}
              </Popover.Title>
              <Field label={messages.name} hint={messages.nameHint}>
                {(field) => (
                  <input
                    {...field}
                    ref={input}
                    className={INPUT_CLASS}
                    value={name}
                    maxLength={VIEW_NAME_CHARACTERS_MAX}
                    autoComplete="off"
                    onChange={(event) => setName(event.target.value)}
                  />
                )}
              </Field>
              {view === undefined && (
                <>
                  <SavedSettings saved={saved} />
                  <ShareWithTeam isShared={isShared} onShare={setShared} />
                </>
              )}
              <ProblemNote problem={save.error} />
              <div className="flex justify-end gap-2">
                <Popover.Close render={<Button>{messages.cancel}</Button>} />
                <Button type="submit" variant="primary" blocked={blocked}>
                  {messages.save}
                </Button>
              </div>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function SavedSettings({ saved: { shown } }: Pick<ViewOverlayProps, "saved">) {
  const messages = useMessages(viewTools);
  const { columns } = useMessages(table);
  const { field, descending } = parseColumnSort(shown.sort);
  const column = Object.entries(columns).find(([id]) => id === field)?.[1] ?? field;
  return (
    <div className="flex flex-col gap-1">
      <span className="text-ink-2">{messages.keeps}</span>
      <div className="rounded-[7px] bg-line-soft px-2.5 py-2 text-xs">
        {shown.filter === "" ? (
          <p>{messages.keepsAll}</p>
        ) : (
          <p className="line-clamp-3 font-mono wrap-anywhere">
            <SafeText text={shown.filter} wrap />
          </p>
        )}
        <p className="mt-1 text-2xs text-ink-2">
          {descending ? messages.orderDown(column) : messages.orderUp(column)}
          {shown.columns !== null && ` · ${messages.columns(shown.columns.split(",").length)}`}
        </p>
      </div>
    </div>
  );
}

function ShareWithTeam({ isShared, onShare }: { isShared: boolean; onShare(on: boolean): void }) {
  const messages = useMessages(viewTools);
  const mayShare = useLiveState().hello?.operator.may.includes("force") ?? false;
  return (
    <label className="flex min-h-6 items-baseline gap-2">
      <input
        type="checkbox"
        checked={isShared}
        disabled={!mayShare}
        onChange={(event) => onShare(event.target.checked)}
        className="size-[13px] translate-y-0.5 accent-accent"
      />
      <span>
        {messages.forTeam}
        <span className="block text-2xs text-ink-3">
          {mayShare ? messages.forTeamHint : messages.notForTeam}
        </span>
      </span>
    </label>
  );
}
