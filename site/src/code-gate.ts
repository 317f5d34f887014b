import type {
  LockChoice,
  RequestName,
  Requests,
  SeekProgress,
  StoryCode,
} from '@holdfast/harness/playground';
import { Consent } from './consent.ts';
import type { Engine } from './engine.ts';
import { Realms } from './realms.ts';

/** Between the page and edited code: code of a link waits for its reader, and all code gets a realm of its own. */
export class CodeGate {
  readonly consent: Consent = new Consent();
  readonly #engine: Engine;
  readonly #realms: Realms;
  /** The code that the reader wrote here, or has agreed to run. */
  readonly #admitted = new Set<string>();

  constructor(engine: Engine, base: string | URL) {
    this.#engine = engine;
    this.#realms = new Realms(engine, base);
  }

  admit(code: StoryCode | undefined): void {
    if (code !== undefined) this.#admitted.add(JSON.stringify(code.files));
  }

  isAdmitted(code: StoryCode | undefined): boolean {
    return code === undefined || this.#admitted.has(JSON.stringify(code.files));
  }

  /** Shows the code to its reader, who may admit it. */
  show(code: StoryCode, onAdmitted: () => void): void {
    this.consent.ask(code, () => {
      this.admit(code);
      onAdmitted();
    });
  }

  /** A request that may play edited code, which needs its realm. */
  async ask<N extends RequestName>(
    name: N,
    request: Requests[N]['request'],
    lock: LockChoice,
    onProgress?: (progress: SeekProgress) => void,
  ): Promise<Requests[N]['result']> {
    if (!this.isAdmitted(lock.code)) throw new Error('its code has not been seen');
    await this.#realms.open(lock);
    return await this.#engine.request(name, request, onProgress);
  }

  /** What other locks do under the schedule of a story. */
  async compare(
    story: Requests['compare']['request']['story'],
    locks: readonly string[],
  ): Promise<Requests['compare']['result']> {
    const { backend: lock, code } = story;
    return await this.ask('compare', { story, locks }, { lock, code });
  }
}
