"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { browserPorts } from "./browser-ports.ts";
import { LiveContext } from "./live-context.ts";
import { queryPictures } from "./pictures.ts";
import { LiveStore } from "./store.ts";

export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [store] = useState(
    () => new LiveStore(browserPorts(), queryPictures(client), () => performance.now()),
  );
  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);
  return <LiveContext value={store}>{children}</LiveContext>;
}
