import { openZk } from '@holdfast/zk';
import { describe, expect, test } from 'vitest';
import { importCopy } from '../mutation/copies.ts';
import { linesChanged } from './difference.ts';
import { ZK_MUTANTS } from './mutants/zk.ts';
import { copyOf } from './mutate.ts';
import { recordFile, recordText } from './record.ts';
import { SCENARIOS } from './zk/scenarios.ts';

type Recipe = { readonly openZk: typeof openZk };

describe.each(ZK_MUTANTS)('zk: $name', (mutant) => {
  const change = { ...mutant, package: 'zk' } as const;
  const trial = SCENARIOS[mutant.scenario];

  test('differs from the right lock in at most three lines', () => {
    expect(linesChanged(change)).toBeGreaterThan(0);
    expect(linesChanged(change)).toBeLessThanOrEqual(3);
  });

  test('is detected by a scene that the correct lock and an unchanged copy withstand', async () => {
    const wrong = await importCopy<Recipe>(copyOf(['zk'], mutant.name, change), 'zk');
    const copy = await importCopy<Recipe>(copyOf(['zk'], 'zk'), 'zk');

    const said = (await trial(wrong.openZk)) ?? 'nothing';

    expect(said, mutant.why).toMatch(mutant.detectedBy);
    expect(await trial(copy.openZk)).toBeUndefined();
    expect(await trial(openZk)).toBeUndefined();
    await expect(recordText({ said })).toMatchFileSnapshot(recordFile(mutant));
  });
});
