import { LocksPage } from "@/components/locks/locks-page.tsx";

export default function Page() {
  return <LocksPage />;
}
