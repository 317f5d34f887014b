import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { BACKENDS } from './backends.ts';
import { root } from './support/source-file.ts';

/** The exports of a package with a backend: a function that opens it, and what it promises. */
async function exportsBackend(name: string): Promise<boolean> {
  const index = pathToFileURL(join(root, 'packages', name, 'src', 'index.ts')).href;
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ index);
  const opens = Object.keys(exported).some((key) => /^open[A-Z]/.test(key));
  return opens && 'capabilities' in exported;
}

const names = readdirSync(join(root, 'packages'));
const exporting = await Promise.all(names.map(exportsBackend));
const backends = names.filter((_, i) => exporting[i]);

/** Suffixes of the names of rows on servers: one for each client, or one for each kind of deployment. */
const ON_REDIS = ['through ioredis', 'through redis'];
const ON_ENSEMBLE = ['on one server', 'on an ensemble of three'];
const ON_POSTGRES = ['through pg', 'through postgres'];
const KINDS: Readonly<Record<string, readonly string[]>> = {
  zk: ON_ENSEMBLE,
  etcd: ON_ENSEMBLE,
  postgres: ON_POSTGRES,
};

test('there are backends to look for', () => {
  expect(backends).toContain('redis-simple');
});

describe.each([...backends, 'core'])('the backend of packages/%s', (name) => {
  const rows = BACKENDS.filter((row) => row.package === name);

  test('is held to the contract in the simulator', () => {
    expect(rows.filter(({ where }) => where === 'simulator')).not.toEqual([]);
  });

  test.skipIf(name === 'core')('is held to it on real servers, of every kind', () => {
    const named = rows.filter(({ where }) => where === 'servers').map((row) => row.name);

    for (const kind of KINDS[name] ?? ON_REDIS) {
      expect(named.some((text) => text.endsWith(kind))).toBe(true);
    }
  });
});
