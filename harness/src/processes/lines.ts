import type { Socket } from 'node:net';

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
