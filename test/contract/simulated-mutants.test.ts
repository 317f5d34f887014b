import { Breach, CHECKS, type Outcome, runCheck } from '@holdfast/conformance';
import type { openRedisSimple } from '@holdfast/redis-simple';
import type { openRedlock } from '@holdfast/redlock';
import { describe, expect, test } from 'vitest';
import { REDIS_BACKENDS } from '../backends.ts';
import { MUTANTS } from '../broken/mutants/index.ts';
import { copyOf } from '../broken/mutate.ts';
import { importCopy } from '../mutation/copies.ts';
import { only, type RedisBackend } from './redis-backend.ts';
import { simulatedSubject } from './simulated.ts';

/** Everything that the copies may export. */
interface Recipe {
  readonly openRedisSimple: typeof openRedisSimple;
  readonly openRedlock: typeof openRedlock;
}

const NEXT_ATTEMPT = 'a late undo does not affect the next attempt';
const RENEWAL = 'a late undo does not remove a vote that a renewal counts';
const ADOPTION =
  'an adoption takes neither a free key nor a hold that is not exactly the exported one';

/** Schedules hand no lease over, so only the contract can tell. */
const ADOPTS_BY_CONTENDER = (
  [
    ['redis-simple', 'exported'],
    ['redlock', 'ARGV[3]'],
  ] as const
).map(([of, exported]) => ({
  name: `${of}-adopts-by-contender`,
  package: of,
  file: 'adopt-script.ts',
  find: `if held ~= ${exported} then`,
  replace: `if string.match(held or '', '^[^:]+') ~= string.match(${exported}, '^[^:]+') then`,
}));

/** An author who makes one of these mistakes has to hear of it from the contract, and not only from a search. */
describe.each([
  ['redis-simple', 'owner-value-reused', NEXT_ATTEMPT],
  ['redis-simple', 'undo-compares-contenders', NEXT_ATTEMPT],
  ['redlock', 'redlock-owner-value-reused', NEXT_ATTEMPT],
  ['redlock', 'heal-same-n', RENEWAL],
  ['redis-simple', 'redis-simple-adopts-by-contender', ADOPTION],
  ['redlock', 'redlock-adopts-by-contender', ADOPTION],
] as const)('%s: %s', (of, name, rule) => {
  const change = [...MUTANTS, ...ADOPTS_BY_CONTENDER].find((mutant) => mutant.name === name);

  test(`is detected by the contract: ${rule}`, async () => {
    const wrong = await importCopy<Recipe>(copyOf([of], name, change), of);
    const copy = await importCopy<Recipe>(copyOf([of], `right-${of}-${of}`), of);

    expect((await judged(of, wrong, rule)).cause).toBeInstanceOf(Breach);
    expect(await judged(of, copy, rule)).toMatchObject({ kind: 'kept' });
  });
});

/** Runs one check of the contract on a copy of a recipe. */
async function judged(of: keyof typeof OPEN, recipe: Recipe, rule: string): Promise<Outcome> {
  const check = CHECKS.find((each) => each.name === rule);
  const backend = REDIS_BACKENDS.find((each) => each.package === of);
  if (check === undefined || backend === undefined)
    throw new Error('there is no such rule, or row');
  return await runCheck(check, simulatedSubject({ ...backend, open: OPEN[of](recipe) }));
}

const OPEN = {
  'redis-simple':
    (recipe: Recipe): RedisBackend['open'] =>
    (reach, host) =>
      recipe.openRedisSimple(only(reach), host),
  redlock:
    (recipe: Recipe): RedisBackend['open'] =>
    (reach, host) =>
      recipe.openRedlock(reach, host),
};
