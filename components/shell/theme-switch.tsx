"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { useSyncExternalStore } from "react";
import { Button } from "@/components/ui/button.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

const THEMES = [
  { name: "system", Icon: Monitor },
  { name: "light", Icon: Sun },
  { name: "dark", Icon: Moon },
] as const;

const subscribeToNothing = () => () => {};

export function ThemeSwitch() {
  const messages = useMessages(shell);
  const { theme, setTheme } = useTheme();
  // The server does not know the theme: the icon comes when the page is awake.
  const awake = useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
  const index = awake ? THEMES.findIndex(({ name }) => name === theme) : 0;
  const current = THEMES[Math.max(index, 0)] ?? THEMES[0];
  const next = THEMES[(Math.max(index, 0) + 1) % THEMES.length] ?? THEMES[0];
  const label = messages.changeTheme(messages.themes[current.name], messages.themes[next.name]);
  return (
    <Button variant="quiet" size="icon" aria-label={label} title={label} onClick={() => setTheme(next.name)}>
      <current.Icon aria-hidden size={15} />
    </Button>
  );
}
