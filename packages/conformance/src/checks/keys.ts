import { assertRule, textOf } from '../breach.ts';
import { mustFindHeld } from '../held.ts';
import type { Check } from '../subject.ts';

const LONGEST = 'x'.repeat(511);

/** Keys that a careless encoding makes equal; all are valid by the rules for keys. */
const ODD_KEYS = [
  '.',
  '..',
  '/',
  '//',
  'a',
  'A',
  'a ',
  ' a',
  'a/b',
  'a%2Fb',
  'a%2fb',
  '{a}',
  '{a}b',
  '%7Ba%7D',
  '}{',
  'a:b',
  'a:lock',
  'a}:lock',
  '*',
  'a?b',
  "a'b",
  'a"b',
  'a\\b',
  // Two keys that look equal: composed and decomposed.
  '\u00E9',
  'e\u0301',
  '鍵',
  '🔑',
  '🔑🔑',
  `${LONGEST}y`,
  `${LONGEST}z`,
];

/** Different keys are independent, also unusual ones. */
export const keys: readonly Check[] = [
  {
    name: 'keys that differ in any character are different keys, unusual and longest ones too',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const held = [];

      for (const key of ODD_KEYS) {
        const outcome = await a.tryAcquire(key, stage.longMs);
        assertRule(
          outcome.kind === 'granted',
          `an attempt on key ${textOf(key)} returned ${textOf(outcome.kind)} while only other keys are held`,
        );
        held.push({ key, grant: outcome.grant });
      }

      for (const { key, grant } of held) await mustFindHeld(a, grant, b, key);
      for (const { grant } of held) await a.release(grant);
    },
  },
];
