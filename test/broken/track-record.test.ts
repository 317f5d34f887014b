import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { storyText } from '../support/story-text.ts';
import { fullRecord } from './full-record.ts';
import { isIllustrated, isShown } from './illustrated.ts';
import { type MutantStory, mutantStoryOf, storyFile } from './mutant-story.ts';
import { ALL_MUTANTS } from './mutants/index.ts';
import { ZK_MUTANTS } from './mutants/zk.ts';
import { recordFile } from './record.ts';
import { SIMULATOR_MUTANTS } from './simulator/mutants.ts';
import { trackRecord } from './track-record.ts';
import { picture, pictureFile } from './track-record-chapter.ts';

/** For stories that have to be found and minimised again. */
const RENEWAL_MS = 900_000;
const DOCS = '../../docs/';
const OUT = fileURLToPath(new URL('../../out/track-record/', import.meta.url));
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

test('ten mutants are drawn, three of them in the docs', () => {
  const drawn = ALL_MUTANTS.filter(({ name }) => isIllustrated(name));

  expect(drawn).toHaveLength(10);
  expect(drawn.filter(({ name }) => isShown(name))).toHaveLength(3);
});

test('the track record shows every mutant, and the full one the story that detects it', {
  timeout: RENEWAL_MS,
}, async () => {
  const findings: MutantStory[] = [];
  for (const mutant of ALL_MUTANTS) {
    const finding = await mutantStoryOf(mutant);
    await expect(storyText(finding.story)).toMatchFileSnapshot(storyFile(mutant));
    findings.push(finding);
  }
  const full = fullRecord(findings);

  for (const finding of findings.filter(({ mutant }) => isShown(mutant.name)))
    await expect(picture(finding)).toMatchFileSnapshot(
      `${DOCS}${pictureFile(finding.mutant.name)}`,
    );
  await expect(trackRecord(findings)).toMatchFileSnapshot(`${DOCS}track-record.md`);
  for (const { name } of ALL) expect(full).toMatch(new RegExp(`^##+ ${name}$`, 'm'));
  if (process.env['TRACK_RECORD'] === 'write') write(full, findings);
});

function write(full: string, findings: readonly MutantStory[]): void {
  mkdirSync(join(OUT, 'pictures'), { recursive: true });
  writeFileSync(join(OUT, 'README.md'), full);
  for (const finding of findings.filter(({ mutant }) => isIllustrated(mutant.name)))
    writeFileSync(join(OUT, pictureFile(finding.mutant.name)), picture(finding));
}
