import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readShards } from '../../harness/src/cli/merge-command.ts';
import { gatherShards } from '../../harness/src/shards/gather-shards.ts';
import { holdfastVersion } from '../../packages/holdfast/src/cli/version.ts';
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
