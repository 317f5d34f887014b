import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLocks } from 'holdfast';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { RedisServer } from '../../../harness/test/kit/real-servers.ts';

const HOLDFAST = fileURLToPath(
  new URL('../../../packages/holdfast/bin/holdfast.js', import.meta.url),
);
const FOREIGN = 1_000_000;
const LOCKS = 1_000;
const FILL = `for i = ARGV[1], ARGV[1] + 9999 do redis.call('SET', 'session:' .. i, 'x') end`;

/** In turns, the search runs and is paused, so that what else runs on the machine meets both. */
const TURN_MS = 500;

/** Waits of another client for replies, in ms, by turn. */
interface Turns {
  readonly beside: number[][];
  readonly alone: number[][];
}

interface ComparedTurn {
  readonly aloneMs: number;
  readonly ratio: number;
}

/** Measures another client until the search ends. */
async function turnsOf(client: Redis, search: ChildProcess): Promise<Turns> {
  const turns: Turns = { beside: [], alone: [] };
  while (search.exitCode === null) {
    turns.beside.push(await waitsOf(client));
    search.kill('SIGSTOP');
    turns.alone.push(await waitsOf(client));
    search.kill('SIGCONT');
  }
  return turns;
}

async function waitsOf(client: Redis): Promise<number[]> {
  const waits: number[] = [];
  const endMs = performance.now() + TURN_MS;
  for (let fromMs = performance.now(); fromMs < endMs; ) {
    await client.get('session:1');
    const nowMs = performance.now();
    waits.push(nowMs - fromMs);
    fromMs = nowMs;
  }
  return waits;
}

function p99(waits: readonly number[]): number {
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Number.NaN;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** The p99 of each turn alone, and by how much that of the turn before, beside the search, is larger. */
function comparedTurns({ beside, alone }: Turns): readonly ComparedTurn[] {
  return alone.map((waits, n) => ({
    aloneMs: p99(waits),
    ratio: p99(beside[n] ?? []) / p99(waits),
  }));
}

test('a thousand locks among a million foreign keys are listed as they are found, beside other clients', async () => {
  const server = await RedisServer.start();
  const client = new Redis(server.url);
  for (let from = 1; from <= FOREIGN; from += 10_000) await client.eval(FILL, 0, from);
  const locks = await openLocks({ backend: 'redis-simple', url: server.url, ttlMs: 3_600_000 });
  const keys = Array.from({ length: LOCKS }, (_, n) => `lock/${n}`);
  await Promise.all(keys.map((key) => locks.acquire(key)));

  const found: number[] = [];
  const startedMs = performance.now();
  const child = spawn(process.execPath, [HOLDFAST, 'locks', '--json', '--on', server.url]);
  // As on another machine: it gets the CPU that the server and its other client leave.
  setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL);
  createInterface({ input: child.stdout }).on('line', () =>
    found.push(performance.now() - startedMs),
  );
  const ended = new Promise<number | null>((done) => child.once('close', done));
  await expect.poll(() => found.length).toBeGreaterThan(0);
  const turns = await turnsOf(client, child);
  expect(await ended).toBe(0);
  const tookMs = performance.now() - startedMs;
  const [first = 0] = found;
  const compared = comparedTurns(turns).toSorted((a, b) => a.aloneMs - b.aloneMs);
  const ratio = medianOf(compared.map((turn) => turn.ratio));
  // The turns in which the machine did least else.
  const calm = compared.slice(0, Math.ceil(compared.length / 4));
  const calmRatio = medianOf(calm.map((turn) => turn.ratio));
  const calmMs = medianOf(calm.map((turn) => turn.aloneMs));
  const scan = /cmdstat_scan:.*usec_per_call=([\d.]+)/.exec(await client.info('commandstats'))?.[1];
  console.log(
    `first key after ${first.toFixed(0)} ms, all ${found.length} after ${tookMs.toFixed(0)} ms, half of which paused; p99 of another client: ${ratio.toFixed(2)} times that without the search, median of ${compared.length} turns; ${calmRatio.toFixed(2)} times ${calmMs.toFixed(2)} ms in the calmest quarter; a SCAN takes ${scan} µs`,
  );

  expect(found).toHaveLength(LOCKS);
  expect(first).toBeLessThan(tookMs / 10);
  expect(ratio).toBeLessThan(2);
  client.disconnect();
  await locks.close({ timeoutMs: 0 });
  await server.close();
});
