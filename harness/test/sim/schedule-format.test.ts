import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AFTERMATH, ENSEMBLE, SETUP } from '../../src/sim/schedule/fields.ts';
import { FAULTS, parseSchedule } from '../../src/simulator/index.ts';

const PAGE = readFileSync(
  new URL('../../../docs/reference/schedule-format.md', import.meta.url),
  'utf8',
);

/** The names in the second column of the row that begins with a name. */
function fieldsOf(name: string): readonly string[] | undefined {
  const row = PAGE.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  return row?.split('|')[2]?.match(/[a-zA-Z]+/g) ?? undefined;
}

test('the page names every fault with its fields', () => {
  for (const { id: kind, fields: declared } of FAULTS.all) {
    const { client, either, when, label, stay, way, oneWay, numbers } = declared;
    const fields = [
      ...(client || either ? ['client'] : []),
      ...(either ? ['or', 'nodes'] : []),
      ...(when ? ['when'] : []),
      ...(label ? ['label'] : []),
      ...(stay ? ['stay'] : []),
      ...(way || oneWay ? ['way'] : []),
      ...Object.keys(numbers),
    ];
    const named = kind === 'reorder' ? fields : fieldsOf(kind);
    expect(named?.toSorted(), kind).toEqual(fields.toSorted());
  }
});

test('the page names every field of the setup', () => {
  for (const name of Object.keys(SETUP)) expect(fieldsOf(name), name).toBeDefined();
});

test('the page names every field of an ensemble', () => {
  for (const name of Object.keys(ENSEMBLE))
    expect(PAGE.split('## The ensemble')[1], name).toContain(`| \`${name}\` |`);
});

test('the page names every field of an aftermath', () => {
  const fields = [...Object.keys(AFTERMATH), 'how', 'still'];

  for (const name of fields)
    expect(PAGE.split('## The aftermath')[1], name).toContain(`| \`${name}\` |`);
});

test('the schedule on the page can be played', () => {
  const json = /```json\n(\{[^`]*?"ops"[^`]*?)```/.exec(PAGE)?.[1] ?? '';

  expect(parseSchedule(JSON.parse(json)).faults).toHaveLength(1);
});
