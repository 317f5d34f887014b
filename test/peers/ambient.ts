import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { SimProcess } from '@holdfast/harness/simulator';
import { forget, here } from './current-process.ts';
import { observeNetworks } from './network-access.ts';
import { dial } from './socket.ts';
import { clear, expiry, interval, nap, soon, timeout } from './timers.ts';

type Swap = readonly [owner: object, name: string, redirected: (process: SimProcess) => unknown];

const BYTE = 256;

/** Replacements of these functions for code of a simulated process; all other code gets the originals. */
const SWAPS: readonly Swap[] = [
  ...[globalThis, timers].flatMap((owner): Swap[] => [
    [owner, 'setTimeout', (process) => timeout.bind(undefined, process)],
    [owner, 'setInterval', (process) => interval.bind(undefined, process)],
    [owner, 'setImmediate', (process) => soon.bind(undefined, process)],
    [owner, 'clearTimeout', () => clear],
    [owner, 'clearInterval', () => clear],
    [owner, 'clearImmediate', () => clear],
  ]),
  [timersPromises, 'setTimeout', (process) => nap.bind(undefined, process)],
  // Nobody reads what a simulated process prints.
  [console, 'error', () => () => {}],
  [AbortSignal, 'timeout', (process) => expiry.bind(undefined, process)],
  [Date, 'now', (process) => () => wallMs(process)],
  [
    performance,
    'now',
    ({ runtime }) =>
      () =>
        runtime.now().monotonicMs,
  ],
  [
    Math,
    'random',
    ({ runtime }) =>
      () =>
        runtime.random(),
  ],
  [crypto, 'randomBytes', (process) => (size: number) => bytes(process, size)],
  [
    crypto,
    'randomUUID',
    ({ runtime }) =>
      () =>
        uuid(runtime.randomId()),
  ],
  [
    globalThis.crypto,
    'randomUUID',
    ({ runtime }) =>
      () =>
        uuid(runtime.randomId()),
  ],
  [globalThis.crypto, 'getRandomValues', (process) => filled.bind(undefined, process)],
  [net, 'createConnection', (process) => dial.bind(undefined, process)],
  [net, 'connect', (process) => dial.bind(undefined, process)],
];

/**
 * Gives every simulated process its own clocks, timers, random source and network, for code that takes them from the
 * globals; returns the function that undoes it. Code that does not run {@link inside} a process is not affected.
 */
export function redirect(): () => void {
  const restores = [...SWAPS.map(swap), swapDate(), observeNetworks()];
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.toReversed()) restore();
    syncBuiltinESMExports();
    forget();
  };
}

function swap([owner, name, redirected]: Swap): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new Error(`unknown name "${name}"`);
  const value = function dispatched(this: unknown, ...args: unknown[]): unknown {
    const process = here();
    const target = process === undefined ? original : redirected(process);
    return Reflect.apply(target as (...args: unknown[]) => unknown, this, args);
  };
  // `promisify(setTimeout)`, for code outside.
  Object.setPrototypeOf(value, original);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}

/** `new Date()` reads a clock, `new Date(ms)` does not. */
function swapDate(): () => void {
  const original = globalThis.Date;
  globalThis.Date = new Proxy(original, {
    construct(target, args, made) {
      const process = here();
      const read = args.length === 0 && process !== undefined ? [wallMs(process)] : args;
      return Reflect.construct(target, read, made);
    },
  });
  return () => {
    globalThis.Date = original;
  };
}

/** Node shows whole milliseconds. */
function wallMs({ runtime }: SimProcess): number {
  return Math.floor(runtime.now().wallMs);
}

function bytes(process: SimProcess, size: number): Buffer {
  return filled(process, Buffer.alloc(size));
}

function filled<T extends Uint8Array>({ runtime }: SimProcess, array: T): T {
  for (let i = 0; i < array.length; i++) array[i] = Math.floor(runtime.random() * BYTE);
  return array;
}

function uuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
