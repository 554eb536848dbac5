"use client";

import dynamic from "next/dynamic";
import { loadPart } from "@/lib/api/load-part.ts";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName, useTargets } from "@/lib/queries/targets.ts";
import { TargetBadges } from "../app/target-badges.tsx";

const TargetMenu = dynamic(
  loadPart(() => import("./target-menu.tsx").then((module) => module.TargetMenu)),
  {
    ssr: false,
  },
);

/** Shows the target of the page, with a menu if there are several targets. */
export function TargetSwitch() {
  const { connection, hello } = useLiveState();
  const name = useTargetName();
  const targets = useTargets();
  // The server uses the first configured target by default, which is not in the list if the user cannot read it.
  const shown = name ?? (connection === "refused" ? undefined : targets?.[0]?.name);
  const here = targets?.find((each) => each.name === shown);
  if (targets !== undefined && targets.length > 1) return <TargetMenu targets={targets} here={here} />;
  if (hello === null) return null;
  const { target } = hello;
  return (
    <span
      className="flex min-w-0 items-center gap-2 rounded-[7px] max-md:max-w-64 max-md:shrink-0 max-sm:max-w-[56vw] border border-line bg-panel px-2.5 py-1"
      title={[`${target.name}: ${target.address}`, ...(target.server === null ? [] : [target.server])].join(
        ", ",
      )}
    >
      <span className="truncate font-semibold">{target.label}</span>
      <TargetBadges target={target} />
      <span className="truncate text-ink-3 max-md:hidden">{target.address}</span>
    </span>
  );
}
