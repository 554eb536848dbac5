/** Functions that add a color or a font weight to text in a terminal. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

const same = (text: string) => text;

export const PLAIN_STYLE: Style = { bold: same, dim: same, red: same, yellow: same, green: same };

const paintWith =
  (start: number, end: number) =>
  (text: string): string =>
    `\u001b[${start}m${text}\u001b[${end}m`;

export const TERMINAL_STYLE: Style = {
  bold: paintWith(1, 22),
  dim: paintWith(2, 22),
  red: paintWith(31, 39),
  yellow: paintWith(33, 39),
  green: paintWith(32, 39),
};
