import { openLocks } from 'holdfast';
import { expect, test } from 'vitest';

test('reentrant: context gives a body its own hold once more; without it, a body waits for itself', async () => {
  const locks = await openLocks('memory:', { reentrant: 'context' });
  const plain = await openLocks('memory:');

  await locks.use('k', () => locks.use('k', ({ assertHeld }) => assertHeld()));
  await plain.use('k', async () => expect(await plain.tryAcquire('k')).toBeNull());
  await Promise.all([locks.close(), plain.close()]);
});

test('reentrant: warn reports a caller that waits for its own hold', async () => {
  const codes: string[] = [];
  const on = { warning: ({ code }: { code: string }) => void codes.push(code) };
  const locks = await openLocks('memory:', { reentrant: 'warn', on });

  await locks.use('k', async () => {
    await expect(locks.acquire('k', { waitMs: 1 })).rejects.toThrow('could not acquire');
  });
  expect(codes).toEqual(['SELF_WAIT']);
  await locks.close();
});

test('another word for reentrant is refused', async () => {
  // @ts-expect-error -- an unknown word
  await expect(openLocks('memory:', { reentrant: 'yes' })).rejects.toThrow("'context' or 'warn'");
});
