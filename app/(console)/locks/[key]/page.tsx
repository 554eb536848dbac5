import { titled } from "@/app/language.ts";
import { LockPage } from "@/components/lock/lock-page.tsx";

export const generateMetadata = titled("lock");

export default function Page() {
  return <LockPage />;
}
