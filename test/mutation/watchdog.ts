import { Worker } from 'node:worker_threads';

/** On a thread of its own, because what it watches for is that ours does not come to its end. */
const SCRIPT = `const { workerData: { began, cpuMsMax, lookMs } } = require('node:worker_threads');
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if ((user + system) / 1000 - began[0] > cpuMsMax) process.kill(process.pid, 'SIGKILL');
}, lookMs);`;
const POLL_MS = 200;

export interface Limits {
  /** Of the processor, for one thing. */
  readonly cpuMsMax: number;
  /** For how long nothing may be left to do before it is done; unlimited by default. */
  readonly idleMsMax?: number;
}

/**
 * Kills this process when one thing takes too much of the processor, or waits for what never comes. How long it takes
 * would depend on who else is busy; these do not.
 */
export class Watchdog {
  readonly #began = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));

  #from: ReturnType<typeof performance.eventLoopUtilization> | undefined;

  constructor({ cpuMsMax, idleMsMax }: Limits) {
    this.reset();
    if (idleMsMax !== undefined) setInterval(() => this.#look(idleMsMax), POLL_MS).unref();
    const workerData = { began: this.#began, cpuMsMax, lookMs: POLL_MS };
    new Worker(SCRIPT, { eval: true, workerData }).unref();
  }

  /** The next thing begins. */
  reset(): void {
    const { user, system } = process.cpuUsage();
    this.#began[0] = (user + system) / 1000;
    this.#from = performance.eventLoopUtilization();
  }

  /** Nothing is under way: to wait for the next thing is no idleness. */
  rest(): void {
    this.#from = undefined;
  }

  #look(idleMsMax: number): void {
    if (this.#from === undefined) return;
    const { idle } = performance.eventLoopUtilization(this.#from);
    if (idle > idleMsMax) process.kill(process.pid, 'SIGKILL');
  }
}
