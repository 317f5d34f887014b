/** The other end of `child.ts`, for modules that are run as a child. */

const waiting = new Map<number, (answer: unknown) => void>();
const listeners = new Set<(message: string) => void>();
let asked = 0;

process.on('message', (message) => {
  if (typeof message === 'string') {
    for (const listener of listeners) listener(message);
  } else if (typeof message === 'object' && message !== null && 'id' in message) {
    waiting.get(Number(message.id))?.('answer' in message ? message.answer : undefined);
    waiting.delete(Number(message.id));
  }
});
// The parent process is gone.
process.on('disconnect', () => process.exit());

export function tell(message: unknown): void {
  process.send?.(message);
}

export function onMessage(listener: (message: string) => void): void {
  listeners.add(listener);
}

export function ask(name: string, ...args: readonly string[]): Promise<unknown> {
  asked += 1;
  const id = asked;
  return new Promise((done) => {
    waiting.set(id, done);
    tell({ ask: name, id, args });
  });
}
