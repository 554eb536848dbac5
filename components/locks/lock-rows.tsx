"use client";

import type { VirtualItem } from "@tanstack/react-virtual";
import { pathOf } from "@/components/lock/lock-facts.ts";
import type { LiveWindow } from "@/lib/contract/live.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { COLUMNS } from "./columns.ts";
import { LockRow, MissingRow, type RowActions } from "./lock-row.tsx";

interface LockRowsProps {
  window: LiveWindow;
  /** The rows to draw. */
  items: readonly VirtualItem[];
  /** Height of all rows. */
  height: number;
  selected: string | null;
  picked: ReadonlyMap<string, Lock>;
  actions: RowActions;
}

export function LockRows({ window, items, height, selected, picked, actions }: LockRowsProps) {
  const selectedHere = window.items.some((lock) => pathOf(lock) === selected);
  const first = items.at(0);
  return (
    <tbody>
      <Spacer px={first?.start ?? 0} />
      {items.map(({ index }) => {
        const lock = window.items[index - window.offset];
        if (lock === undefined) return <MissingRow key={`missing ${index}`} index={index} />;
        const path = pathOf(lock);
        const isSelected = path === selected;
        return (
          <LockRow
            key={path}
            lock={lock}
            index={index}
            selected={isSelected}
            picked={picked.has(path)}
            tabStop={selectedHere ? isSelected : index === first?.index}
            actions={actions}
          />
        );
      })}
      <Spacer px={height - (items.at(-1)?.end ?? 0)} />
    </tbody>
  );
}

/** Stands for the rows that are not drawn. */
function Spacer({ px }: { px: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={COLUMNS.length + 2} className="p-0" style={{ height: px }} />
    </tr>
  );
}
