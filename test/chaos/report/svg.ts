/** The position and the size of a shape in the timeline, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function escapeXml(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function renderElement(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] = [],
): string {
  const all = Object.entries(attributes).map(
    ([attribute, value]) =>
      ` ${attribute}="${typeof value === "number" ? Number(value.toFixed(1)) : escapeXml(value)}"`,
  );
  return `<${name}${all.join("")}>${content.join("")}</${name}>`;
}

/** Renders a rectangle with a tooltip. */
export function renderBand(place: Box, kind: string, says: string): string {
  return renderElement("rect", { class: kind, ...place }, [`<title>${escapeXml(says)}</title>`]);
}

export function renderLine(x: number, top: number, bottom: number, kind: string): string {
  return renderElement("line", { class: kind, x1: x, x2: x, y1: top, y2: bottom });
}

export function renderText(x: number, y: number, kind: string, content: string): string {
  return content === "" ? "" : renderElement("text", { class: kind, x, y }, [escapeXml(content)]);
}
