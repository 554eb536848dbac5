"use client";

import { useState } from "react";
import { isServerAdmin } from "@/components/app/permissions.ts";
import { Button } from "@/components/ui/button.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { Section } from "@/components/ui/section.tsx";
import { apiKeys } from "@/lib/i18n/en/api-keys.tsx";
import { settings } from "@/lib/i18n/en/settings.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useApiKeys } from "@/lib/queries/access/api-keys.ts";
import { type ApiKeyTask, KeyTable } from "./key-table.tsx";
import { AdminOnlyNotice } from "./settings-frame.tsx";

const KeyForm = createLazyOverlay(() => import("./key-form.tsx").then((module) => module.KeyForm));
const KeyRotation = createLazyOverlay(() =>
  import("./key-rotation.tsx").then((module) => module.KeyRotation),
);
const KeyRevocation = createLazyOverlay(() =>
  import("./key-revocation.tsx").then((module) => module.KeyRevocation),
);

const KeyQuotaSheet = createLazyOverlay(() =>
  import("./key-quota-sheet.tsx").then((module) => module.KeyQuotaSheet),
);

export function KeysSettings() {
  const messages = useMessages(settings);
  const { hello } = useLiveState();
  if (hello === null) return null;
  if (!isServerAdmin(hello)) return <AdminOnlyNotice text={messages.keysForAdmins} />;
  return <ApiKeys />;
}

function ApiKeys() {
  const messages = useMessages(apiKeys);
  const { loading } = useMessages(ui);
  const keys = useApiKeys();
  const [task, setTask] = useState<ApiKeyTask | null>(null);
  const close = () => setTask(null);
  return (
    <>
      <Section
        title={messages.title}
        text={messages.text}
        actions={
          <Button variant="primary" onClick={() => setTask({ what: "make" })}>
            {messages.add}
          </Button>
        }
      >
        {keys.isPending && <p className="px-4 py-3 text-ink-3">{loading}</p>}
        <ProblemNote problem={keys.error} onAgain={() => void keys.refetch()} />
        {keys.data !== undefined && <KeyTable keys={keys.data.items} onTask={setTask} />}
      </Section>
      {task?.what === "make" && <KeyForm onClose={close} />}
      {task?.what === "quota" && <KeyQuotaSheet apiKey={task.key} onClose={close} />}
      {task?.what === "rotate" && <KeyRotation apiKey={task.key} onClose={close} />}
      {task?.what === "revoke" && <KeyRevocation apiKey={task.key} onClose={close} />}
    </>
  );
}
