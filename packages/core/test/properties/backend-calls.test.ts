import { type Lease, LockError } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { type Random, random, type SimProcess, World } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { StrictBackend } from '../support/strict-backend.ts';

const SCHEDULES = 2_000;
const CALLERS = 6;
const TTL_MS = 500;
const WAIT_MS = [0, 50, 1_000, 20_000] as const;
/** The first attempt may take two calls, and after the last one the contender withdraws. */
const OVERTIME_MS = 200;

/** Holds, and then releases, waits for the loss, or drops it. */
async function hold(lease: Lease, process: SimProcess, draw: Random): Promise<void> {
  if (draw.below(3) === 0) await lease.extend(TTL_MS * 2).catch(() => {});
  await process.sleep(draw.below(700));
  const end = draw.below(4);
  if (end === 0) process.collect(lease);
  else if (end > 1) await Promise.all([lease.release(), lease.release()]);
  else if (lease.state === 'held' && !lease.signal.aborted)
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
}

/** Callers that fight for one key over a backend whose answers are drawn; returns what core did wrong. */
async function fight(seed: number): Promise<string[]> {
  const draw = random(`manners ${seed}`);
  const world = new World({ seed, trace: false, guard: true, maxEvents: 100_000 });
  const process = world.process('p');
  const backend = new StrictBackend(process, draw);
  const locks = createLocks(backend, createHost({ runtime: process.runtime }));

  const call = async (): Promise<void> => {
    await process.sleep(draw.below(400));
    const { signal, abort } = aborter();
    if (draw.below(3) === 0) void process.sleep(draw.below(900)).then(abort);
    const waitMs = WAIT_MS[draw.below(WAIT_MS.length)] ?? 0;
    const askedMs = process.nowMs;
    const lease = await locks
      .acquire('k', { ttlMs: TTL_MS, waitMs, signal })
      .catch((error: unknown) => {
        if (!(error instanceof LockError) && !signal.aborted) backend.wrong.push(String(error));
      });
    const overtimeMs = process.nowMs - askedMs - waitMs;
    if (overtimeMs > OVERTIME_MS) backend.wrong.push(`settled ${overtimeMs} ms after its time`);
    if (lease !== undefined) await hold(lease, process, draw);
  };
  const checkLine = async (): Promise<void> => {
    backend.isCalm = true;
    await locks.acquire('k').then(
      (lease) => lease.release(),
      (error) => backend.wrong.push(`the line is stuck: ${error}`),
    );
  };
  await world.run(async () => {
    const calls = Array.from({ length: CALLERS }, call);
    if (draw.below(4) === 0) await process.sleep(draw.below(1_000));
    else await Promise.all(calls).then(() => checkLine());
    await locks.close();
    await Promise.all(calls);
  });
  await world.settle();
  const timers = world.pendingTimers();
  return [...backend.complaints, ...(timers > 0 ? [`${timers} timers were left`] : [])];
}

function aborter(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

test(`in ${SCHEDULES} schedules core keeps its part of the contract: one contender a key, each withdrawn or granted, each grant released once, no queue stuck`, async () => {
  for (let seed = 0; seed < SCHEDULES; seed++) {
    expect(await fight(seed), `fight(${seed})`).toEqual([]);
  }
});
