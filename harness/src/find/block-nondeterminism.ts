import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import dgram from 'node:dgram';
import dns from 'node:dns';
import dnsPromises from 'node:dns/promises';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import tls from 'node:tls';
import workers from 'node:worker_threads';
import { keepGuard, refusing } from '../simulator/index.ts';

/** Exports that read time, produce randomness or reach outside, by module. */
const NONDETERMINISTIC_EXPORTS: readonly (readonly [
  module: object,
  name: string,
  exports: RegExp,
])[] = [
  [timers, 'node:timers', /^set/],
  [timersPromises, 'node:timers/promises', /^set/],
  [timersPromises.scheduler, 'node:timers/promises scheduler', /^(?:wait|yield)$/],
  [crypto, 'node:crypto', /^(?:random|getRandomValues|generate|pbkdf2$|scrypt$|hkdf$)/],
  [crypto.webcrypto.subtle, 'node:crypto subtle', /^[a-z]/],
  [process, 'process', /^uptime$/],
  [fs, 'node:fs', /^[a-z]/],
  [fsPromises, 'node:fs/promises', /^[a-z]/],
  [net, 'node:net', /^(?:connect|createConnection|createServer|Server|Socket|Stream)$/],
  [tls, 'node:tls', /^(?:connect|createServer|Server|TLSSocket)$/],
  [dgram, 'node:dgram', /^(?:createSocket|Socket)$/],
  [dns, 'node:dns', /^(?:lookup|resolve|reverse)/],
  [dnsPromises, 'node:dns/promises', /^(?:lookup|resolve|reverse)/],
  [http, 'node:http', /^(?:get|request|createServer|ClientRequest|Server)$/],
  [https, 'node:https', /^(?:get|request|createServer|Server)$/],
  [http2, 'node:http2', /^(?:connect|create)/],
  [childProcess, 'node:child_process', /^(?:exec|spawn|fork)/],
  [workers, 'node:worker_threads', /^(?:Worker|MessageChannel|BroadcastChannel)$/],
];

/**
 * Makes all nondeterministic exports refuse calls from simulated code, in this thread, until it ends. This covers
 * everything that code loaded from here on imports or captures. Only for a thread that does nothing but run a lock.
 */
export function blockNondeterminism(): void {
  keepGuard();
  for (const [owner, name, which] of NONDETERMINISTIC_EXPORTS) blockExports(owner, name, which);
  syncBuiltinESMExports();
}

function blockExports(owner: object, name: string, which: RegExp): void {
  for (const key of namesIn(owner).filter((each) => which.test(each))) {
    const original: unknown = Reflect.get(owner, key);
    if (typeof original !== 'function' || !isWritable(owner, key)) continue;
    const value = refusing(`${name}.${key}`, original);
    Object.defineProperty(owner, key, { value, configurable: true, writable: true });
  }
}

/** False for exports such as `getRandomValues` of `node:crypto`, which read a property that is blocked elsewhere. */
function isWritable(owner: object, key: string): boolean {
  return Object.getOwnPropertyDescriptor(owner, key)?.configurable !== false;
}

/** The names of all exports; some are methods of a class with one instance. */
function namesIn(owner: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(owner);
  const isPlain =
    typeof owner === 'function' || prototype === Object.prototype || prototype === null;
  const inherited = isPlain ? [] : Object.getOwnPropertyNames(prototype);
  return [...new Set([...Object.getOwnPropertyNames(owner), ...inherited])];
}
