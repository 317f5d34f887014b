import { InvalidOptionError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';

function textOf(json: string): string {
  return `holdfast-lease:1:${Buffer.from(json, 'latin1').toString('base64url')}`;
}

test('a hand-over that is refused names the backend, and an export the key as well', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();
  const worker = await bench.open('worker');

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const refused = { code: 'CAPABILITY', backend: 'fake' };
    expect(await rejection(lease.export())).toMatchObject({ ...refused, key: 'k' });
    expect(await rejection(locks.adopt(textOf('{}')))).toMatchObject(refused);
    const error = await rejection(worker.locks.adopt('not one'));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', backend: 'memory' });
  });
});

test('an export of a lease that has ended is a loss, even where none could be handed over', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    await lease.release();

    expect(await rejection(lease.export())).toMatchObject({ code: 'LOCK_LOST', key: 'k' });
  });
});

test('a text whose key is no UTF-8 is damaged, and adopts no other key', async () => {
  const bench = new Bench();
  const { locks } = await bench.open('worker');
  const damaged = textOf('{"key":"k\xff","backend":"memory","owner":"a:1:p","ttlMs":1000}');

  await bench.run(async () => {
    const error = await rejection(locks.adopt(damaged));

    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(String(error)).toContain('the text is damaged');
  });
});

test('a lease of the shortest ttl can be handed over', async () => {
  const bench = new Bench();
  const { locks } = await bench.open('web');

  await bench.run(async () => {
    const adopted = await locks.adopt(await (await locks.acquire('k', { ttlMs: 100 })).export());

    expect(bench.store.inspect('k')).toMatchObject({ owner: adopted.owner, remainingMs: 100 });
    await adopted.release();
  });
});
