/** The printed text of a cell with its visible width: escape codes have none. */
export interface Printed {
  readonly text: string;
  readonly width: number;
}

/** The widths of the columns of a table. */
export interface Widths {
  readonly label: number;
  readonly cell: number;
}

/** Room for `redis-simple` and a blank. */
const WIDTHS: Widths = { label: 26, cell: 13 };

/** The default width of a terminal. */
export const TERMINAL = 80;

export function printed(text: string, shown: string = text): Printed {
  return { text: shown, width: text.length };
}

/** One line: a label, then cells under their columns. Blanks at the end are cut. */
export function line(label: Printed, cells: readonly Printed[], widths: Widths = WIDTHS): string {
  const parts = [padded(label, widths.label), ...cells.map((cell) => padded(cell, widths.cell))];
  return parts.join('').trimEnd();
}

function padded({ text, width }: Printed, room: number): string {
  return text + ' '.repeat(Math.max(1, room - width));
}

/** Breaks words so that no line is longer than `room`; later lines are indented. */
export function wrapped(text: string, indent: number, room = 92): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (longer.length > room - indent && current !== '') {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  lines.push(current);
  return lines.map((each, index) => (index === 0 ? each : ' '.repeat(indent) + each));
}
