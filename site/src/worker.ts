import { answer, type RequestName, type Requests } from '@holdfast/harness/playground';
import type { Asked, Told } from './engine.ts';

// Runs beside the page, so that a search never holds up its frames.

/** The part of a worker's scope that it uses; the types of the page say `window`. */
declare const self: {
  addEventListener(type: 'message', listener: (event: MessageEvent<Asked>) => void): void;
  postMessage(told: Told): void;
};

self.addEventListener('message', ({ data }) => {
  void reply(data.id, data.name, data.request);
});

async function reply<N extends RequestName>(
  id: number,
  name: N,
  request: Requests[N]['request'],
): Promise<void> {
  try {
    const result = await answer(name, request, (progress) => tell({ id, progress }));
    tell({ id, result });
  } catch (error) {
    tell({ id, error: reasonOf(error) });
  }
}

function tell(told: Told): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  self.postMessage(told);
}

function reasonOf(error: unknown): string {
  // Endless nesting overflows the stack of the parser.
  if (error instanceof RangeError && /stack/i.test(error.message)) return 'nested too deeply';
  const message = error instanceof Error ? error.message : String(error);
  // The code of a lock comes when it is chosen.
  return /dynamically imported module/.test(message)
    ? 'the code of this lock could not be loaded; is the network up?'
    : message;
}
