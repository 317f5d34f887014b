import { expect, test } from 'vitest';
import { checkRightLock } from '../mutation/campaign.ts';
import { refusedByCompiler } from '../mutation/compiles.ts';
import { judgeMutants } from '../mutation/judge-mutants.ts';
import { mutantsOfPackage } from '../mutation/mutants.ts';

test('x', { timeout: 900_000 }, async () => {
  const all = mutantsOfPackage('redis');
  const step = Math.floor(all.length / 40);
  const sample = all.filter((_, i) => i % step === 0);
  const refused = await refusedByCompiler('redis', sample);
  console.log('refused', refused.size, 'of', sample.length);
  const court = { workers: 1, untilMs: Date.now() + 600_000 } as const;
  for (const [script, args] of [
    ['judge-process.ts', ['contract']],
    ['unit-process.ts', []],
  ] as const) {
    await checkRightLock('redis', { ...court, script, args });
    const found: Record<string, number> = {};
    const open = sample.filter((m) => !refused.has(m.digest));
    await judgeMutants('redis', open, { ...court, script, args }, ({ digest, finding }) => {
      const m = open.find((each) => each.digest === digest);
      if (finding === null) console.log(script, 'survives', m?.file, m?.line, m?.what);
      found[finding === null ? 'none' : 'found'] =
        (found[finding === null ? 'none' : 'found'] ?? 0) + 1;
    });
    console.log(script, found);
  }
  expect(1).toBe(1);
});
