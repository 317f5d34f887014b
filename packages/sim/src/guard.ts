import { SimAmbientError } from './errors.ts';

/** What no schedule can repeat. Named imports of `node:` modules escape this; a lint rule has to catch those. */
const BANNED: readonly (readonly [owner: object, prefix: string, names: readonly string[]])[] = [
  [Date, 'Date.', ['now']],
  [performance, 'performance.', ['now']],
  [Math, 'Math.', ['random']],
  [crypto, 'crypto.', ['getRandomValues', 'randomUUID']],
  [AbortSignal, 'AbortSignal.', ['timeout']],
  [globalThis, '', ['setTimeout', 'setInterval', 'setImmediate', 'requestAnimationFrame', 'fetch']],
  [
    globalThis,
    '',
    ['MessageChannel', 'FinalizationRegistry', 'Worker', 'WebSocket', 'EventSource'],
  ],
  ...(typeof process === 'object' ? ([[process, 'process.', ['hrtime']]] as const) : []),
];

/**
 * Swaps the ambient clocks, timers and random sources for throwers. While it is on, nothing else on this thread may
 * use them either, so no two guarded worlds at once.
 */
export class Guard {
  readonly #caught: (error: SimAmbientError) => void;
  #restore: (() => void)[] = [];

  /** `caught` is told as well, so that code which swallows the error cannot hide it. */
  constructor(caught: (error: SimAmbientError) => void) {
    this.#caught = caught;
  }

  on(): void {
    if (this.#restore.length > 0) return;
    for (const [owner, prefix, names] of BANNED)
      for (const name of names) this.#ban(owner, name, prefix + name);
    this.#banDate();
  }

  off(): void {
    for (const restore of this.#restore.splice(0)) restore();
  }

  #ban(owner: object, name: string, shown: string): void {
    const refuse = (): never => this.#refuse(shown);
    if (!Reflect.has(owner, name)) return;
    // No arrow function, since some of them are called with `new`.
    this.#swap(owner, name, function refused() {
      refuse();
    });
  }

  /** `new Date()` reads a clock, `new Date(ms)` does not. */
  #banDate(): void {
    const refuse = (): never => this.#refuse('new Date()');
    const guarded = new Proxy(Date, {
      construct: (target, args) => (args.length === 0 ? refuse() : Reflect.construct(target, args)),
      apply: refuse,
    });
    this.#swap(globalThis, 'Date', guarded);
  }

  #swap(owner: object, name: string, value: unknown): void {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    this.#restore.unshift(() => {
      if (before === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, before);
    });
  }

  #refuse(what: string): never {
    const error = new SimAmbientError(what);
    this.#caught(error);
    throw error;
  }
}
