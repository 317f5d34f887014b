// A lock that passes the obvious tests: SET NX PX acquires, and a release checks that the key is still its own before
// it deletes it. But time may pass between the two, and then it deletes the key of another client.
//
// Run it: npm run example 06            searches for a schedule of events that proves it; no server needed

import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import type { Attempt, Backend, Host, Release } from '@holdfast/core/backend';

type Command = (args: readonly string[], options: { deadlineMs: number }) => Promise<unknown>;

/** The servers that the simulator opens it on. */
export const deployment = { needs: 'redis' };

/** Opened by `find`: `node` is a Redis node, simulated here, a real one in a service. */
export function openBackend({ node }: { node: { command: Command } }, { runtime }: Host): Backend {
  const send = (...args: string[]): Promise<unknown> =>
    node.command(args, { deadlineMs: runtime.now().monotonicMs + 100 });

  async function attempt(key: string, owner: string, ttlMs: number): Promise<Attempt> {
    const from = runtime.now();
    const reply = await send('SET', key, owner, 'NX', 'PX', `${ttlMs}`);
    if (reply !== 'OK') return { kind: 'busy' };
    const validity = { from, ms: ttlMs - ttlMs / 100 - 2 };
    const grant = { owner, leaseMs: ttlMs, validity, release: () => release(key, owner) };
    return { kind: 'granted', grant };
  }

  async function release(key: string, owner: string): Promise<Release> {
    if ((await send('GET', key)) !== owner) return { kind: 'not-held' };
    await send('DEL', key);
    return { kind: 'released' };
  }

  return {
    name: 'get-then-del',
    capabilities: {
      lease: 'per-call-ttl',
      timeAuthority: 'server',
      consistency: 'ap',
      fencing: 'none',
      queue: 'none',
      wakeUp: 'poll',
    },
    contend: ({ key, contender, ttlMs = 30_000 }) => ({
      attempt: () => attempt(key, contender, ttlMs).catch((cause) => ({ kind: 'unknown', cause })),
      withdraw: async () => ({ kind: 'clean' }),
    }),
    close: async () => {},
  };
}

if (process.argv[1] === import.meta.filename) {
  const lock = `./${relative('.', import.meta.filename)}`;
  const find = ['holdfast', 'find', lock, '--fault', 'delay', '--out', 'out/find/example-06.json'];
  spawnSync('npx', find, { stdio: ['ignore', 'inherit', 'ignore'] });
}
