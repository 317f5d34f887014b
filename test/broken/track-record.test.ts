import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { isIllustrated } from './illustrated.ts';
import { mutantStoryOf, storyFile } from './mutant-story.ts';
import { ALL_MUTANTS } from './mutants/index.ts';
import { ZK_MUTANTS } from './mutants/zk.ts';
import { recordFile } from './record.ts';
import { SIMULATOR_MUTANTS } from './simulator/mutants.ts';
import { trackRecord } from './track-record.ts';
import { picture, pictureFile } from './track-record-chapter.ts';

/** Where stories have to be found and minimised anew. */
const RENEWAL_MS = 900_000;
const PAGE = '../../docs/track-record.md';
const ALL = [...ALL_MUTANTS, ...ZK_MUTANTS, ...SIMULATOR_MUTANTS];

test('every mutant has a name of its own', () => {
  const names = ALL.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
});

test('what is kept is that of mutants that are tried', () => {
  for (const [files, mutants] of [
    [storyFile, ALL_MUTANTS],
    [recordFile, ALL],
  ] as const)
    expect(new Set(readdirSync(dirname(files({ name: '' }))))).toEqual(
      new Set(mutants.map((mutant) => basename(files(mutant)))),
    );
});

test('ten mutants are drawn', () => {
  expect(ALL_MUTANTS.filter(({ name }) => isIllustrated(name))).toHaveLength(10);
});

test('the track record shows every mutant, and the story that convicts it', {
  timeout: RENEWAL_MS,
}, async () => {
  const findings = [];
  for (const mutant of ALL_MUTANTS) {
    const finding = await mutantStoryOf(mutant);
    await expect(`${JSON.stringify(finding.story, null, 2)}\n`).toMatchFileSnapshot(
      storyFile(mutant),
    );
    findings.push(finding);
  }

  for (const finding of findings.filter(({ mutant: { name } }) => isIllustrated(name)))
    await expect(picture(finding)).toMatchFileSnapshot(pictureFile(finding.mutant.name));
  await expect(trackRecord(findings)).toMatchFileSnapshot(PAGE);
});
