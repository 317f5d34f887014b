import { describe, expect, test } from 'vitest';
import { type BackendUnderTest, Breach, CHECKS, type Outcome, runCheck } from '../src/index.ts';
import { BROKEN, releasingToNext } from './support/broken.ts';
import { BROKEN_MODES } from './support/broken-modes.ts';
import { BROKEN_SESSIONS } from './support/broken-sessions.ts';
import { forAll } from './support/for-all.ts';
import { memorySubject } from './support/memory-subject.ts';
import { sessionSubject } from './support/session-subject.ts';

describe.each([...BROKEN, ...BROKEN_MODES])('a lock that %s', (_, rule, spoilt) => {
  test(`is detected: ${rule}`, async () => {
    const { right, wrong } = await tried(rule, memorySubject(), memorySubject(spoilt));

    expect(right.kind, right.reason).not.toBe('broken');
    expect(wrong.cause).toBeInstanceOf(Breach);
  });
});

describe.each(BROKEN_SESSIONS)('a session lock that %s', (_, rule, spoilt) => {
  test(`is detected: ${rule}`, async () => {
    const { right, wrong } = await tried(rule, sessionSubject(), sessionSubject(spoilt));

    expect(right.kind, right.reason).toBe('kept');
    expect(wrong.cause).toBeInstanceOf(Breach);
  });
});

test('a right lock for several keys keeps the rules about them', async () => {
  const rules = CHECKS.filter(({ name }) => name.startsWith('several keys'));

  for (const rule of rules) {
    const { kind, reason } = await runCheck(rule, memorySubject(forAll()));
    expect(kind, reason).toBe('kept');
  }
  expect(rules).toHaveLength(3);
});

test('a right lock whose holds are released to the next attempt keeps the rules about them', async () => {
  const rules = CHECKS.filter(({ name }) => /is released to (?:the next|nobody)/.test(name));
  const right = releasingToNext((grant) => grant.release());

  for (const rule of rules) {
    const { kind, reason } = await runCheck(rule, memorySubject(right));
    expect(kind, reason).toBe('kept');
  }
  expect(rules).toHaveLength(2);
});

test('every rule detects a broken lock, except two that need more than a store in this process', () => {
  const rules = new Set([...BROKEN, ...BROKEN_MODES, ...BROKEN_SESSIONS].map(([, rule]) => rule));
  const idle = CHECKS.map(({ name }) => name).filter((name) => !rules.has(name));

  expect(idle).toEqual([
    // A store that others can write to: the exhibits in `test/contract/` break it.
    'a foreign value under the key is refused, named and left unchanged',
    // Several servers: `test/contract/simulated-mutants.test.ts` has a Redlock that breaks it.
    'a late undo does not remove a vote that a renewal counts',
  ]);
});

/** The outcomes of one rule for a correct lock and for a broken one. */
async function tried(
  rule: string,
  right: BackendUnderTest,
  wrong: BackendUnderTest,
): Promise<Record<'right' | 'wrong', Outcome>> {
  const check = CHECKS.find(({ name }) => name === rule);
  if (check === undefined) throw new Error(`unknown rule "${rule}"; use the name of a check`);
  return { right: await runCheck(check, right), wrong: await runCheck(check, wrong) };
}
