import type { MemoryLink } from '@holdfast/core/backend';
import type { SimProcess } from '../process.ts';
import type { Run } from './run.ts';
import { STORE } from './store-cluster.ts';

/** The calls of one process to the resource and, with the in-memory lock, to its store. They take time each way. */
export class ClientCalls {
  readonly #run: Run;
  readonly #process: SimProcess;
  /** Calls without a reply yet. */
  open = 0;

  constructor(run: Run, process: SimProcess) {
    this.#run = run;
    this.#process = process;
  }

  async call<T>(label: string, effect: () => T): Promise<T> {
    const { latencyMs } = this.#run.schedule;
    const late = this.#run.callDelays(this.#process.name, label);
    this.open++;
    const result = await this.#process.call<T>(label, effect, {
      requestMs: latencyMs + late.request,
      replyMs: latencyMs + late.reply,
    });
    this.open--;
    return result;
  }

  /** `called` is called with the label of every call of the lock. */
  link(called: (label: string) => void): MemoryLink {
    return {
      call: (label, effect) => {
        called(label);
        return this.call(label, effect);
      },
      deliver: (label, run) => this.#process.deliver(label, run, this.#run.schedule.latencyMs),
    };
  }
}

const KEY = 'k';

/** Wraps a client's link to the in-memory store: after every call it records the store's contents. */
export function observedLink(link: MemoryLink, run: Run, client: string): MemoryLink {
  const { storeLog: log } = run;
  return {
    call: (label, effect) =>
      link.call(label, () => {
        log.request = { client, label };
        const result = effect();
        if (!isRefusal(result)) recordContents(run);
        log.request = undefined;
        return result;
      }),
    deliver: (label, receive) => link.deliver(label, receive),
  };
}

/** Most calls of waiters change nothing. */
function isRefusal(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'busy'
  );
}

function recordContents({ store, storeProcess, storeLog: log }: Run): void {
  const held = store.inspect(KEY);
  if (held === undefined) return log.note(STORE, KEY, undefined);
  log.note(STORE, KEY, held.owner, storeProcess.times.inMs(held.remainingMs));
}
