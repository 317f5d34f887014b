import { describe, expect, test } from 'vitest';
import { Breach, CHECKS, runCheck } from '../src/index.ts';
import { BROKEN } from './support/broken.ts';
import { memorySubject } from './support/memory-subject.ts';

describe.each(BROKEN)('a lock that %s', (_, rule, spoilt) => {
  test(`is convicted: ${rule}`, async () => {
    const check = CHECKS.find(({ name }) => name === rule);
    if (check === undefined) throw new Error('there is no such rule');

    const right = await runCheck(check, memorySubject());
    const outcome = await runCheck(check, memorySubject(spoilt));

    expect(right.kind, right.reason).not.toBe('broken');
    expect(outcome.kind).toBe('broken');
    expect(outcome.cause).toBeInstanceOf(Breach);
  });
});

test('every rule has convicted somebody; a foreign value needs a store that others can write to', () => {
  const rules = new Set(BROKEN.map(([, rule]) => rule));
  const idle = CHECKS.map(({ name }) => name).filter((name) => !rules.has(name));

  expect(idle).toEqual([
    'what stands under the key and is not a lock is refused, named and left alone',
  ]);
});
