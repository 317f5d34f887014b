import { MemoryStore, openMemory, systemRuntime } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { CHECKS, checkBackend, runCheck } from '../src/index.ts';
import { describeBackend } from '../src/vitest.ts';
import { memorySubject } from './support/memory-subject.ts';
import { sessionSubject } from './support/session-subject.ts';

describeBackend('memory, a network away', () => memorySubject());
describeBackend('sessions and queues', () => sessionSubject());

test('every rule is a sentence of its own', () => {
  const names = CHECKS.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(35);
});

test('memory keeps the contract in real time too, at arm’s length', async () => {
  const runtime = systemRuntime();
  const broken = await checkBackend(() => {
    const store = new MemoryStore(() => runtime.now().monotonicMs);
    const { capabilities } = memorySubject();
    return { capabilities, ttlMs: 100, open: (host) => openMemory({ store }, host) };
  });

  expect(broken.filter(({ kind }) => kind === 'broken')).toEqual([]);
  expect(broken.filter(({ kind }) => kind === 'kept').length).toBeGreaterThan(20);
});

test('what is skipped names its reason', async () => {
  const outcomes = await checkBackend(() => memorySubject());
  const skipped = outcomes.filter(({ kind }) => kind === 'skipped');

  expect(skipped.map(({ reason }) => reason)).toEqual([
    'its holds are not released to one attempt',
    'its holds are not released to one attempt',
    'every lease has a ttl of its own',
    'every lease has a ttl of its own',
    'every lease has a ttl of its own',
    'every lease has a ttl of its own',
    'it promises fencing',
    'it has no queue',
    'it has no queue',
    'it has no queue',
    'it has no queue',
    'the subject cannot putForeign',
    'the subject cannot holdBackFew, restartFewEmpty',
    'every call has a ttl of its own',
    'it takes one key after the other',
    'it takes one key after the other',
    'it takes one key after the other',
  ]);
});

const [first, second] = CHECKS;

test('a declared flaw excuses a check that is broken, and accuses one that is kept', async () => {
  if (first === undefined || second === undefined) throw new Error('there are no checks');
  const rejecting = { ...first, run: () => Promise.reject(new Error('broken')) };
  const subject = { ...memorySubject(), flaws: { [first.name]: 'known', [second.name]: 'known' } };

  expect(await runCheck(rejecting, subject)).toMatchObject({ kind: 'flawed', reason: 'known' });
  expect(await runCheck(second, subject)).toMatchObject({ kind: 'broken' });
});

test('a declared flaw that names no check is refused', async () => {
  if (first === undefined) throw new Error('there are no checks');
  const subject = { ...memorySubject(), flaws: { 'no such rule': 'typo' } };

  await expect(runCheck(first, subject)).rejects.toThrow('unknown check in flaws: no such rule');
});

test('a subject is closed after its check, for any outcome', async () => {
  if (first === undefined) throw new Error('there are no checks');
  let closed = 0;
  const close = async (): Promise<void> => void closed++;

  await runCheck(first, { ...memorySubject(), close });
  await runCheck({ ...first, needs: () => 'no' }, { ...memorySubject(), close });
  await runCheck(
    { ...first, run: () => Promise.reject(new Error()) },
    { ...memorySubject(), close },
  );

  expect(closed).toBe(3);
});
