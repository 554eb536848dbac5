import { titled } from "@/app/language.ts";
import { AuditPage } from "@/components/audit/audit-page.tsx";

export const generateMetadata = titled("audit");

export default function Page() {
  return <AuditPage />;
}
