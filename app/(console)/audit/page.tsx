import { createTitleMetadata } from "@/app/language.ts";
import { AuditPage } from "@/components/audit/audit-page.tsx";

export const generateMetadata = createTitleMetadata("audit");

export default function Page() {
  return <AuditPage />;
}
