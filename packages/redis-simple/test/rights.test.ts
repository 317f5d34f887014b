import { expect, test } from 'vitest';
import { ADOPT } from '../src/adopt-script.ts';
import { RIGHTS } from '../src/identity.ts';
import * as scripts from '../src/scripts.ts';
import * as scriptsForAll from '../src/scripts-for-all.ts';

test('the rights that are checked on opening are those of the commands that the scripts call', () => {
  const called = new Set<string>();
  for (const script of [ADOPT, ...Object.values(scripts), ...Object.values(scriptsForAll)]) {
    if (typeof script !== 'object' || !('source' in script)) continue;
    for (const [, name = ''] of script.source.matchAll(/redis\.p?call\('(\w+)'/g))
      called.add(name.toLowerCase());
  }

  const { scripted = [], optional } = RIGHTS;
  expect(called).toEqual(new Set([...scripted, optional?.command]));
});
