import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ConfigError } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { DEBATED, EXHIBITS, named, openExhibit } from '@holdfast/harness/exhibits';
import type { RedisNode } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { STORE_EXHIBITS } from '../../src/locks/by-name.ts';

const SOURCES = new URL('../../src/exhibits/', import.meta.url);
const LINES_MAX = 40;

const SILENT: RedisNode = {
  address: 'nowhere:6379',
  command: () => new Promise(() => {}),
  script: () => new Promise(() => {}),
  subscribe: () => new Promise(() => {}),
  close: () => Promise.resolve(),
};

/** The files of all of them, by name. */
const FILES = new Map(
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [basename(file, '.ts'), file]),
);

function sourceOf(name: string): string {
  return readFileSync(new URL(FILES.get(name) ?? '', SOURCES), 'utf8');
}

describe.each([...EXHIBITS, ...DEBATED])('$name', ({ name }) => {
  test('fits on one screen', () => {
    expect(sourceOf(name).split('\n').length - 1).toBeLessThanOrEqual(LINES_MAX);
  });
});

describe.each([...EXHIBITS, ...DEBATED, ...STORE_EXHIBITS])('$name', ({ name }) => {
  test('says first that it is not to be used, where it comes from and what breaks it', () => {
    const source = sourceOf(name);

    const header = source.slice(source.indexOf('/**'), source.indexOf('*/'));
    expect(header).toMatch(/^\/\*\*\n \* DO NOT USE\. /);
    expect(header).toContain('Where it comes from: ');
    expect(header).toContain('What breaks it: ');
  });
});

describe.each(EXHIBITS)('$name', ({ name, flaw }) => {
  test('warns when it is opened, with what breaks it', async () => {
    const warnings: string[] = [];
    const host = createHost({
      on: { warning: ({ message }) => warnings.push(message) },
    });

    await openExhibit({ name, node: SILENT }, host);

    expect(warnings).toEqual([`${name} is an exhibit, not for use: ${flaw}`]);
  });
});

test('every file with a warning at its head is shown', () => {
  const warned = [...FILES.keys()].filter((name) => sourceOf(name).includes('DO NOT USE'));

  const shown = [...EXHIBITS, ...DEBATED, ...STORE_EXHIBITS].map(({ name }) => name);
  expect(warned.toSorted()).toEqual(shown.toSorted());
});

test('a recipe that is given no node says which one it is', () => {
  for (const debated of DEBATED)
    expect(() => named(debated)({ nodes: [] }, createHost())).toThrow(
      `${debated.name} needs a node`,
    );
});

test.each([
  [{ name: 'setnx' }, /unknown exhibit "setnx"/],
  [{ name: 'setnx-del' }, /either a source .* or a node/],
  [{ name: 'setnx-del', source: 'http://x' }, /.+/],
])('refuses to open %j', async (options, message) => {
  const opening = openExhibit(options, createHost());

  await expect(opening).rejects.toThrow(ConfigError);
  await expect(opening).rejects.toThrow(message);
});
