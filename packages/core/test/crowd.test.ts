import { expect, test } from 'vitest';
import { Bench, type Station } from './support/bench.ts';

const TTL_MS = 30_000;

/** The number of renewals in each second of a window of virtual time. */
async function renewalsPerSecond(bench: Bench, { process }: Station, seconds: number) {
  const counts: number[] = [];
  for (let i = 0; i < seconds; i++) {
    const before = bench.reported('renewed').length;
    await process.sleep(1_000);
    counts.push(bench.reported('renewed').length - before);
  }
  return counts;
}

async function take({ locks }: Station, count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, i) => `k${i}`);
  await Promise.all(keys.map((key) => locks.acquire(key, { ttlMs: TTL_MS })));
}

function mean(counts: readonly number[]): number {
  return counts.reduce((sum, each) => sum + each, 0) / counts.length;
}

test('no second has more than one and a half times the mean of the renewals of many leases that were taken together', async () => {
  const bench = new Bench();
  const station = await bench.open('p');

  await bench.world.run(async () => {
    await take(station, 3_000);
    await station.process.sleep(TTL_MS / 3);
    const counts = await renewalsPerSecond(bench, station, 40);

    expect(mean(counts)).toBeGreaterThan(300);
    expect(mean(counts)).toBeLessThan(330);
    expect(Math.max(...counts)).toBeLessThan(1.5 * mean(counts));
    await station.locks.close();
  });
});

test('renewals that a pause has brought together part again', async () => {
  const bench = new Bench();
  const station = await bench.open('p');

  await bench.world.run(async () => {
    await take(station, 500);
    await station.process.sleep(TTL_MS);
    station.process.pause(9_000);
    const together = await renewalsPerSecond(bench, station, 12);
    await station.process.sleep(10 * TTL_MS);
    const later = await renewalsPerSecond(bench, station, 12);

    expect(Math.max(...together)).toBeGreaterThan(400);
    expect(Math.max(...later)).toBeLessThan(150);
    await station.locks.close();
  });
});

test('few leases are renewed at a third of their ttl, and not sooner', async () => {
  const bench = new Bench();
  const station = await bench.open('p');

  await bench.world.run(async () => {
    await take(station, 60);
    const counts = await renewalsPerSecond(bench, station, 11);

    expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60]);
    await station.locks.close();
  });
});
