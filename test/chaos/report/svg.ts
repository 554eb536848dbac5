/** The few shapes that a timeline is made of. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function shape(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] = [],
): string {
  const all = Object.entries(attributes).map(
    ([attribute, value]) =>
      ` ${attribute}="${typeof value === "number" ? Number(value.toFixed(1)) : escaped(value)}"`,
  );
  return `<${name}${all.join("")}>${content.join("")}</${name}>`;
}

/** Says what it is when it is pointed at. */
export function band(place: Place, kind: string, says: string): string {
  return shape("rect", { class: kind, ...place }, [`<title>${escaped(says)}</title>`]);
}

export function mark(x: number, top: number, bottom: number, kind: string): string {
  return shape("line", { class: kind, x1: x, x2: x, y1: top, y2: bottom });
}

export function text(x: number, y: number, kind: string, content: string): string {
  return content === "" ? "" : shape("text", { class: kind, x, y }, [escaped(content)]);
}
