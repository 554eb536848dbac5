import { createTitleMetadata } from "@/app/language.ts";
import { LockPage } from "@/components/lock-page/lock-page.tsx";

export const generateMetadata = createTitleMetadata("lock");

export default function Page() {
  return <LockPage />;
}
