/** Rows of cells as lines of text: the first column aligned left, figures right. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((cells) => cells.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return rows.map((cells) => `  ${line(cells)}`.trimEnd()).join('\n');
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB');
}
