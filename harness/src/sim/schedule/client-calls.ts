import type { MemoryLink } from '@holdfast/core';
import type { SimProcess } from '../process.ts';
import type { Run } from './run.ts';

/** What one process asks of the resource and, with the in-memory lock, of its store: calls that take a way each way. */
export class ClientCalls {
  readonly #run: Run;
  readonly #process: SimProcess;
  /** Asked and not answered. */
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

  /** `called` hears of every call of the lock. */
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
