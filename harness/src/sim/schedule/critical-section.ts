import type { Lease } from '@holdfast/core';
import type { Hold } from '../recorder.ts';
import type { OperatingClient } from './operation.ts';
import type { Run } from './run.ts';
import type { Op } from './schedule.ts';

/** What an operation does while it holds, or with no lock at all. */
export class CriticalSection {
  readonly #run: Run;
  readonly #client: OperatingClient;
  readonly #op: Op;

  constructor(run: Run, client: OperatingClient, op: Op) {
    this.#run = run;
    this.#client = client;
    this.#op = op;
  }

  /**
   * Follows the recommended steps: read with the token, work, stop if the loss is reported, check the lease, write
   * with the token.
   */
  async update(hold: Hold, lease: Lease | undefined): Promise<void> {
    const { recorder, resource } = this.#run;
    const token = lease?.fencingToken;
    const reading = await this.#client.calls.call('read', () => resource.read(token));
    await this.work(lease?.signal);
    // A holder beside others writes nothing.
    if (this.#isBesideOthers) return void this.#client.accepted++;
    if (lease !== undefined) {
      // An anchor of its own, because a fault right before the write comes after the lease was checked.
      this.#client.process.departs('claim');
      try {
        lease.assertHeld();
      } catch {
        return;
      }
      recorder.claimed(hold);
    }
    await this.#client.calls.call('write', () => resource.write(hold, reading, token));
    this.#client.accepted++;
  }

  /** Resolves after the time of the operation, or as soon as the lease is lost: a client that knows of the loss no longer believes. */
  work(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done);
        resolve();
      };
      void this.#client.process.sleep(this.#op.holdMs).then(done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted === true) done();
    });
  }

  get #isBesideOthers(): boolean {
    const mode = this.#run.subject.modeOf?.(this.#op);
    return mode !== undefined && mode.kind !== 'exclusive';
  }
}
