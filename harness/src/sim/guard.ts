import { SimAmbientError } from './errors.ts';

type GlobalOwner = object;

/**
 * Globals that no schedule can repeat. Named imports of `node:` modules escape this list; code that has its own
 * thread can wrap those too, with {@link refusing}.
 */
const BANNED: readonly (readonly [owner: GlobalOwner, prefix: string, names: readonly string[]])[] =
  [
    [Date, 'Date.', ['now']],
    [performance, 'performance.', ['now']],
    [Math, 'Math.', ['random']],
    [crypto, 'crypto.', ['getRandomValues', 'randomUUID']],
    [AbortSignal, 'AbortSignal.', ['timeout']],
    [
      globalThis,
      '',
      ['setTimeout', 'setInterval', 'setImmediate', 'requestAnimationFrame', 'fetch'],
    ],
    [
      globalThis,
      '',
      [
        'MessageChannel',
        'BroadcastChannel',
        'FinalizationRegistry',
        'Worker',
        'WebSocket',
        'EventSource',
        'XMLHttpRequest',
      ],
    ],
    ...(typeof process === 'object' ? ([[process, 'process.', ['hrtime']]] as const) : []),
  ];

/**
 * The guard of the world that is running; undefined between turns, when other code on the thread may use what it
 * bans.
 */
let acting: ((what: string) => void) | undefined;
/** The guards and keepers that need the globals swapped. */
const owners = new Set<object>();
const restores: (() => void)[] = [];

/**
 * Swaps the ambient clocks, timers and random sources for versions that throw while a world runs. Guarded worlds may
 * take turns.
 */
export class Guard {
  readonly #refuse: (what: string) => never;
  #isOwner = false;

  /** `caught` is called as well, so that code which swallows the error cannot hide it. */
  constructor(caught: (error: SimAmbientError) => void) {
    const refuse = (what: string): never => {
      const error = new SimAmbientError(what);
      caught(error);
      throw error;
    };
    this.#refuse = refuse;
  }

  /** Bans the globals from here on: the guarded world runs. */
  resume(): void {
    acting = this.#refuse;
    if (this.#isOwner) return;
    this.#isOwner = true;
    addOwner(this);
  }

  /** Lifts the ban: other code may run. */
  suspend(): void {
    acting = undefined;
  }

  /** Restores the globals: the guarded world has ended. */
  release(): void {
    this.suspend();
    this.#isOwner = false;
    removeOwner(this);
  }
}

/**
 * Keeps the globals swapped until the returned function is called, for many worlds in a row: swapping costs a few
 * microseconds each time. A reference to a clock that is taken meanwhile, before any world runs, throws while one
 * runs, too.
 */
export function keepGuard(): () => void {
  const keeper = {};
  addOwner(keeper);
  return () => removeOwner(keeper);
}

function addOwner(one: object): void {
  if (owners.has(one)) return;
  if (owners.size === 0) {
    for (const [owner, name, value] of REFUSING) swap(owner, name, value);
    swap(globalThis, 'Date', GUARDED_DATE);
  }
  owners.add(one);
}

function removeOwner(one: object): void {
  owners.delete(one);
  if (owners.size > 0) return;
  for (const restore of restores.splice(0)) restore();
}

/**
 * Wraps a function or class so that calling it throws while a guarded world runs. For what the guard cannot reach by
 * itself, such as the modules of Node.
 */
export function refusing<T extends object>(what: string, original: T): T {
  const refuse = (): void => acting?.(what);
  return new Proxy(original, {
    apply: (target, self, args) => {
      refuse();
      return typeof target === 'function' ? Reflect.apply(target, self, args) : undefined;
    },
    construct: (target, args, as) => {
      refuse();
      return typeof target === 'function' ? Reflect.construct(target, args, as) : {};
    },
    // For example `hrtime.bigint`.
    get: (target, name, self) => {
      const value: unknown = Reflect.get(target, name, self);
      const isOwn = Object.getOwnPropertyDescriptor(target, name)?.configurable === true;
      if (typeof value !== 'function' || !isOwn) return value;
      return refusing(typeof name === 'string' ? `${what}.${name}` : what, value);
    },
  });
}

/** Made once, because worlds are many and short. */
const REFUSING = BANNED.flatMap(([owner, prefix, names]) =>
  names
    .filter((name) => Reflect.has(owner, name))
    .map((name) => [owner, name, refusing(prefix + name, Reflect.get(owner, name))] as const),
);

/** `new Date()` reads a clock, `new Date(ms)` does not. */
const GUARDED_DATE = new Proxy(Date, {
  construct: (target, args, as) => {
    if (args.length === 0) acting?.('new Date()');
    return Reflect.construct(target, args, as);
  },
  apply: (target) => {
    acting?.('Date()');
    return target();
  },
});

function swap(owner: GlobalOwner, name: string, value: unknown): void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  restores.unshift(() => {
    if (before === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, before);
  });
}
