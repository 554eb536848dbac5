export default function LocksPage() {
  return (
    <main>
      <h1>Locks</h1>
    </main>
  );
}
