import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { root } from '../support/source-file.ts';
import { fromCatalog, installInto, type Packed, PUBLISHED, packAll } from './packed.ts';

/** What all tests of packing share, since packing and installing take longest. */
export interface Packing {
  /** A folder for further projects. */
  readonly home: string;
  readonly packed: readonly Packed[];
  /** A project that installed all tarballs, a client and types of Node. */
  readonly project: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly packing: Packing;
  }
}

export async function setup({ provide }: TestProject): Promise<() => void> {
  for (const path of PUBLISHED) {
    if (existsSync(join(root, path, 'dist', 'index.js'))) continue;
    throw new Error(`${path} is not built; run: npx tsc -b`);
  }
  const home = mkdtempSync(join(tmpdir(), 'holdfast-packing-'));
  const project = join(home, 'consumer');
  const packed = await packAll(home);
  await installInto(project, packed, fromCatalog('ioredis', '@types/node'));
  provide('packing', { home, packed, project });
  return () => rmSync(home, { recursive: true, force: true });
}
