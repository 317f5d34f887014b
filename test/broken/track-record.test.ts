import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { isDrawn } from './drawn.ts';
import { CULPRITS } from './mutants/index.ts';
import { ZK_MUTANTS } from './mutants/zk.ts';
import { recordFile } from './record.ts';
import { SIMULATOR_FAULTS } from './simulator/faults.ts';
import { findingOf, storyFile } from './story.ts';
import { trackRecord } from './track-record.ts';
import { picture, pictureFile } from './track-record-chapter.ts';

/** Where stories have to be found and minimised anew. */
const RENEWAL_MS = 900_000;
const PAGE = '../../docs/track-record.md';
const ALL = [...CULPRITS, ...ZK_MUTANTS, ...SIMULATOR_FAULTS];

test('every mutant has a name of its own', () => {
  const names = ALL.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});

test('what is kept is that of mutants that are tried', () => {
  for (const [files, mutants] of [
    [storyFile, CULPRITS],
    [recordFile, ALL],
  ] as const)
    expect(new Set(readdirSync(dirname(files({ name: '' }))))).toEqual(
      new Set(mutants.map((mutant) => basename(files(mutant)))),
    );
});

test('ten mutants are drawn', () => {
  expect(CULPRITS.filter(({ name }) => isDrawn(name))).toHaveLength(10);
});

test('the track record shows every mutant, and the story that convicts it', {
  timeout: RENEWAL_MS,
}, async () => {
  const findings = [];
  for (const mutant of CULPRITS) {
    const finding = await findingOf(mutant);
    await expect(`${JSON.stringify(finding.story, null, 2)}\n`).toMatchFileSnapshot(
      storyFile(mutant),
    );
    findings.push(finding);
  }

  for (const finding of findings.filter(({ mutant: { name } }) => isDrawn(name)))
    await expect(picture(finding)).toMatchFileSnapshot(pictureFile(finding.mutant.name));
  await expect(trackRecord(findings)).toMatchFileSnapshot(PAGE);
});
