import type { MemoryLink } from '@holdfast/core';
import type { Run } from './run.ts';

/** The name under which the record of the in-memory store is kept. */
export const STORE = 'store';
const KEY = 'k';

/** The way of a client to the in-memory store, with a look at what the store has after every call. */
export function observedLink(link: MemoryLink, arena: Run, client: string): MemoryLink {
  const { storeLog: log } = arena;
  return {
    call: (label, effect) =>
      link.call(label, () => {
        log.request = { client, label };
        const result = effect();
        if (!isRefusal(result)) look(arena);
        log.request = undefined;
        return result;
      }),
    deliver: (label, run) => link.deliver(label, run),
  };
}

/** Most calls of those who wait change nothing. */
function isRefusal(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'busy'
  );
}

function look({ store, storeProcess, storeLog: log }: Run): void {
  const held = store.inspect(KEY);
  if (held === undefined) return log.note(STORE, KEY, undefined);
  log.note(STORE, KEY, held.owner, storeProcess.inMs(held.remainingMs));
}
