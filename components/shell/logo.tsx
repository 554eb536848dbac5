export function Logo() {
  return <span aria-hidden className="block size-4 rounded-[5px] border-[3px] border-accent" />;
}
