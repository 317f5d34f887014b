import type { LockChoice, RealmStart } from '@holdfast/harness/playground';
import { h } from './dom.ts';
import type { Engine } from './engine.ts';

/** The code is ended after so many ticks without a sign of life. */
const TICK_MS = 250;
const SILENCE_TICKS = 4;

/**
 * Edited code runs in a worker inside of a page of its own, whose policy allows it no network and no storage. One realm
 * at a time: that of the code that is shown.
 */
export class Realms {
  readonly #engine: Engine;
  readonly #base: URL;
  #key = '';
  #frame: HTMLIFrameElement | undefined;

  constructor(engine: Engine, base: string | URL) {
    this.#engine = engine;
    this.#base = new URL('edit/', base);
    engine.onStopped = () => this.#remove();
    addEventListener('message', ({ source, data }) => {
      if (this.#frame !== undefined && source === this.#frame.contentWindow)
        this.#engine.stop(String(data?.ended ?? 'the code failed').slice(0, 500));
    });
  }

  /** Starts the realm of this code, unless it runs already. @throws Error for code that cannot be loaded */
  async open({ lock, code }: LockChoice): Promise<void> {
    if (code === undefined) return;
    const key = JSON.stringify([lock, code.files]);
    if (key === this.#key) return;
    this.#remove();
    this.#key = key;
    try {
      const [script, sources] = await Promise.all([
        this.#fetched('realm.js').then((reply) => reply.text()),
        this.#fetched('sources.json').then((reply) => reply.json()),
      ]);
      const frame = await this.#framed();
      const { port1, port2 } = new MessageChannel();
      const start: RealmStart = { lock, code, sources };
      const message = { script, start, tickMs: TICK_MS, silence: SILENCE_TICKS };
      // A page in a sandbox has no origin that could be named.
      frame.contentWindow?.postMessage(message, '*', [port2]);
      await this.#engine.request('connect', { lock, code, port: port1 }, undefined, [port1]);
    } catch (error) {
      this.#remove();
      throw error;
    }
  }

  async #fetched(name: string): Promise<Response> {
    const reply = await fetch(new URL(name, this.#base));
    if (!reply.ok) throw new Error(`${name} cannot be loaded`);
    return reply;
  }

  #framed(): Promise<HTMLIFrameElement> {
    const frame = h('iframe', {
      sandbox: 'allow-scripts',
      hidden: true,
      title: 'Where edited code runs',
      src: new URL('frame.html', this.#base).href,
    });
    this.#frame = frame;
    return new Promise((resolve) => {
      frame.addEventListener('load', () => resolve(frame), { once: true });
      document.body.append(frame);
    });
  }

  #remove(): void {
    this.#frame?.remove();
    this.#frame = undefined;
    this.#key = '';
  }
}
