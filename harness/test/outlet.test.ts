import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from 'holdfast/internal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileFor, folderFor, makeFolder, writeText } from '../src/cli/output-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-outlet-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a file is where it is said to be, also in folders that are not there yet', () => {
  expect(fileFor(join(folder, 'a', 'b.json'), 'out/usual.json')).toBe(join(folder, 'a', 'b.json'));
});

test('a folder that is named instead takes the file under its usual name', () => {
  expect(fileFor(folder, 'out/usual.json')).toBe(join(folder, 'usual.json'));
  expect(fileFor(`${join(folder, 'new')}/`, 'out/usual.json')).toBe(
    join(folder, 'new', 'usual.json'),
  );
});

test('what cannot be written is refused before the work, saying why', () => {
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'usual.json'));

  expect(() => fileFor(folder, 'usual.json')).toThrow(UsageError);
  expect(() => fileFor(join(folder, 'file', 'b.json'), 'usual.json')).toThrow(/file is a file$/);
  expect(() => folderFor(join(folder, 'file'), 'out')).toThrow(/cannot write/);
  expect(folderFor(join(folder, 'a', 'b'), 'out')).toBe(join(folder, 'a', 'b'));
});

test('what is written has the folders that lead to it made', () => {
  const path = join(folder, 'a', 'b', 'c.json');
  writeText(path, 'text');

  expect(readFileSync(path, 'utf8')).toBe('text');
});

test('a folder that another process makes meanwhile is used', () => {
  // The one in front of the dot has been made by the time that this one is.
  makeFolder(join(folder, 'new') + '/.');

  expect(readdirSync(folder)).toEqual(['new']);
});

test('a folder is not made in place of a file', () => {
  writeFileSync(join(folder, 'file'), '');

  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
});

test.skipIf(process.platform !== 'linux')(
  'if no folder can be made it says so, and does not try again',
  () => {
    expect(() => writeText('/proc/nowhere/x.svg', '', '--svg')).toThrow(
      expect.objectContaining({ hint: 'Use --svg to name another place.' }),
    );
  },
);
