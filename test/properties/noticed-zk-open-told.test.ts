import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { LockEvent } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { VirtualRuntime } from '../../packages/redis-simple/test/support/virtual-runtime.ts';
import { Deadline } from '../../packages/zk/src/deadline.ts';
import { openZk, type ZkOptions } from '../../packages/zk/src/open.ts';
import { foreignNodeWarner } from '../../packages/zk/src/store.ts';
import { Bench } from '../../packages/zk/test/support/bench.ts';
import { HandSession } from '../../packages/zk/test/support/hand-session.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

const FOREVER_MS = Number.MAX_SAFE_INTEGER;

function telling(): {
  readonly events: LockEvent[];
  readonly tell: (key: string, names: string[]) => void;
} {
  const events: LockEvent[] = [];
  const emit = (event: LockEvent): void => void events.push(event);
  const tell = foreignNodeWarner({ runtime: new VirtualRuntime(), label: 'box', emit });
  return { events, tell };
}

describe('what is no contender', () => {
  test.each([
    [['x'], '"x"'],
    [['x', 'y', 'z'], '"x", "y", "z"'],
    [['x', 'y', 'z', 'u', 'v'], '"x", "y", "z" and 2 more'],
  ])('is told of by key and name: %j', (names, shown) => {
    const { events, tell } = telling();

    tell('k', names);

    const what = 'contains nodes that are not contenders; they are left alone';
    expect(events).toEqual([
      {
        type: 'warning',
        backend: 'zk',
        code: 'foreign-node',
        message: `zk: the container of key "k" ${what}: ${shown}`,
        key: 'k',
      },
    ]);
  });

  test('is told of once for each key, for a thousand keys at most', () => {
    const { events, tell } = telling();

    for (let i = 0; i < 4_000; i++) tell(`k${i % 2_000}`, ['x']);

    expect(events).toHaveLength(1_000);
  });
});

async function unanswered(timeoutMs: number): Promise<{ at: Bench; attempt: Promise<unknown> }> {
  const at = new Bench();
  const session = new HandSession(at.tree, at.runtime, 1n, timeoutMs);
  const a = await at.actor('a', { open: async () => session });
  session.next('create', 'stuck');
  return { at, attempt: a.contend('c1').attempt(FOREVER_MS) };
}

describe('an attempt without an answer', () => {
  test('ends after half of T: in all of it the session may end', async () => {
    const { at, attempt } = await unanswered(1_000);
    const fromMs = at.runtime.now().monotonicMs;

    await at.let(attempt);

    expect(at.runtime.now().monotonicMs - fromMs).toBe(500);
  });

  test('keeps the process alive while somebody waits for it, and no longer', async () => {
    const { at, attempt } = await unanswered(1_000);
    const isAwaited = (): boolean => [...at.runtime.timers].some(({ awaited }) => awaited);
    expect(isAwaited()).toBe(true);

    await at.let(attempt);

    expect(isAwaited()).toBe(false);
  });
});

test('a deadline that passes while nothing is asked under it troubles nobody', async () => {
  const runtime = new VirtualRuntime();
  const deadline = new Deadline(runtime, 10);

  // Else the process would be told of a rejection that nobody handles, and end.
  await runtime.pass(10);

  await expect(deadline.limit(new Promise(() => {}))).rejects.toThrow(/no answer within 10 ms/);
});

/** What the only server hears first of who opens locks with these options. */
async function heard(options: ZkOptions): Promise<Buffer> {
  const runtime = new VirtualRuntime();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  const host = { runtime, label: 'box', emit: () => {} };
  const opening = openZk({ servers: [`127.0.0.1:${port}`], ...options }, host);
  const [socket]: Socket[] = await connected;
  const [first]: Buffer[] = socket === undefined ? [] : await once(socket, 'data');
  socket?.destroy();
  server.close();
  await runtime.pass(10_000);
  await (await opening).close();
  return first ?? Buffer.alloc(0);
}

describe('the servers', () => {
  test('are asked for the session timeout that was asked for', async () => {
    const greeting = await heard({ sessionTimeoutMs: 12_345 });

    // Behind the length, the version of the protocol, and the latest transaction that was seen.
    expect(greeting.readInt32BE(4 + 4 + 8)).toBe(12_345);
  });

  test('are spoken to by TLS where that is asked for', async () => {
    const handshake = 22;

    expect((await heard({ tls: {} }))[0]).toBe(handshake);
  });
});
