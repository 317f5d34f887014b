import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BACKENDS } from './backends.ts';
import { root } from './support/source-file.ts';

/** What a package with a backend exports: a function that opens it, and what it promises. */
async function exportsBackend(name: string): Promise<boolean> {
  const index = pathToFileURL(join(root, 'packages', name, 'src', 'index.ts')).href;
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ index);
  const opens = Object.keys(exported).some((key) => /^open[A-Z]/.test(key));
  return opens && 'capabilities' in exported;
}

const names = readdirSync(join(root, 'packages'));
const exporting = await Promise.all(names.map(exportsBackend));
const backends = names.filter((_, i) => exporting[i]);

test('there are backends to look for', () => {
  expect(backends).toContain('redis-simple');
});

describe.each([...backends, 'core'])('the backend of packages/%s', (name) => {
  const rows = BACKENDS.filter((row) => row.package === name);

  test('is held to the contract in the simulator', () => {
    expect(rows.filter(({ where }) => where === 'simulator')).not.toEqual([]);
  });

  test.skipIf(name === 'core')('is held to it on real servers, through both clients', () => {
    const named = rows.filter(({ where }) => where === 'servers').map((row) => row.name);

    expect(named.some((text) => text.endsWith('ioredis'))).toBe(true);
    expect(named.some((text) => text.endsWith('through redis'))).toBe(true);
  });
});
