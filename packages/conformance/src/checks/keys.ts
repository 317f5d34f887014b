import { assertRule, shown } from '../breach.ts';
import { mustBeSeenHeld } from '../held.ts';
import type { Check } from '../subject.ts';

const LONGEST = 'x'.repeat(511);

/** Pairs and families that a careless encoding makes the same; all valid by the rules for keys. */
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
  // The same to the eye, and two keys: composed and decomposed.
  '\u00E9',
  'e\u0301',
  '鍵',
  '🔑',
  '🔑🔑',
  `${LONGEST}y`,
  `${LONGEST}z`,
];

/** Every key that is allowed is a key of its own. */
export const keys: readonly Check[] = [
  {
    name: 'keys that differ in anything are different keys, odd and longest ones too',
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const held = [];

      for (const key of ODD_KEYS) {
        const answer = await a.ask(key, stage.longMs);
        assertRule(
          answer.kind === 'granted',
          `key ${shown(key)} was answered ${shown(answer.kind)} while only other keys are held`,
        );
        held.push({ key, grant: answer.grant });
      }

      for (const { key, grant } of held) await mustBeSeenHeld(a, grant, b, key);
      for (const { grant } of held) await a.release(grant);
    },
  },
];
