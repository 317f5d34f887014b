import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { holdfastVersion } from 'holdfast/internal';
import { expect, test } from 'vitest';
import { gatherShards, readShards } from '../../harness/test/kit/shards.ts';
import { keep } from '../campaign/record.ts';

/** Folders of shards, each to be kept under its name; see docs/testing/sharding.md. */
const CAMPAIGN = process.env['HOLDFAST_CAMPAIGN'];

test.runIf(CAMPAIGN !== undefined)('what a campaign came to is kept', () => {
  const folder = CAMPAIGN ?? '.';
  for (const name of readdirSync(folder)) {
    const shards = gatherShards(readShards([join(folder, name)]), holdfastVersion());
    if (shards.kind !== 'compare') throw new Error(`${name} is no campaign of the matrix`);
    expect(shards.missing, `shards of ${name} that are missing`).toEqual([]);
    keep(name, shards);
  }
});
