import type { Socket } from 'node:net';
import type { Reading } from './counter.ts';

/** A line to the resource, which replies to each with a line of equal `id`. A token is decimal. */
export type ToResource = {
  readonly id: number;
  readonly key: string;
  readonly client: string;
  readonly hold: string;
  readonly token?: string | undefined;
} & (
  | { readonly kind: 'read' }
  | { readonly kind: 'write'; readonly plain: number; readonly fenced: number | null }
);

export interface FromResource {
  readonly id: number;
  /** null after a write. */
  readonly reading: Reading | null;
}

/** Calls `take` with each line that arrives on `socket`, without its end. */
export function onLines(socket: Socket, take: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}

export function sendLine(socket: Socket, value: object): void {
  socket.write(`${JSON.stringify(value)}\n`);
}
