import { expect, test } from 'vitest';
import { MUTANTS } from './mutants/index.ts';
import { findingOf, storyFile } from './story.ts';
import { trackRecord } from './track-record.ts';

/** Where stories have to be found and minimised anew. */
const RENEWAL_MS = 900_000;
const PAGE = '../../docs/track-record.md';

test('every mutant has a name of its own', () => {
  const names = MUTANTS.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});

test('the track record shows every mutant, and the story that convicts it', {
  timeout: RENEWAL_MS,
}, async () => {
  const findings = [];
  for (const mutant of MUTANTS) {
    const finding = await findingOf(mutant);
    await expect(`${JSON.stringify(finding.story, null, 2)}\n`).toMatchFileSnapshot(
      storyFile(mutant),
    );
    findings.push(finding);
  }

  await expect(trackRecord(findings)).toMatchFileSnapshot(PAGE);
});
