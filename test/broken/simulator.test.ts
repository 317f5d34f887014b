import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { linesChanged } from './difference.ts';
import { recordFile, recordText } from './record.ts';
import { CHECKS, saidBy } from './simulator/checks.ts';
import { SIMULATOR_MUTANTS, type SimulatorMutant } from './simulator/mutants.ts';

type Checks = typeof import('./simulator/checks.ts');

/** The checks of a wrong simulator, or of a copy of the right one. */
async function checksOf(fault?: SimulatorMutant): Promise<Checks> {
  const script = await bundle('broken/simulator/checks.ts', fault);
  return await import(/* @vite-ignore */ pathToFileURL(script).href);
}

const copied = checksOf();

test('every check has a rule to miss', () => {
  const missing = new Set(SIMULATOR_MUTANTS.map(({ check }) => check));

  expect([...missing].toSorted()).toEqual(Object.keys(CHECKS).toSorted());
});

describe.each(SIMULATOR_MUTANTS)('a simulator with the fault $name', (fault) => {
  test('lacks a rule of at most three lines', () => {
    expect(linesChanged(fault)).toBeGreaterThan(0);
    expect(linesChanged(fault)).toBeLessThanOrEqual(3);
  });

  test('is detected by a check that the correct simulator and an unchanged copy pass', async () => {
    const wrong = await checksOf(fault);
    const copy = await copied;

    const said = (await wrong.saidBy(wrong.CHECKS[fault.check])) ?? 'nothing';

    expect(said, fault.why).toMatch(fault.detectedBy);
    expect(await copy.saidBy(copy.CHECKS[fault.check])).toBeUndefined();
    expect(await saidBy(CHECKS[fault.check])).toBeUndefined();
    await expect(recordText({ said })).toMatchFileSnapshot(recordFile(fault));
  });
});
