import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { MADE, SOURCE } from '../support/built.ts';
import { ROOT } from './targets.ts';

/** Within reach of what the tests have installed. */
const FOLDER = join(ROOT, 'test/node_modules/.bundles');

/**
 * One script of a module in this folder, for a process of its own. Packages stay outside of it, as they were built, so
 * that copies of one find the same others as the script.
 * @returns its path
 */
export async function scriptOf(module: string): Promise<string> {
  const build = await rolldown({
    input: join(ROOT, 'test/mutation', module),
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'built',
        async resolveId(source, importer) {
          if (importer === undefined) return null;
          if (!/^\.{0,2}\//.test(source)) return { id: source, external: true };
          const found = await this.resolve(source, importer, { skipSelf: true });
          if (found === null || !SOURCE.test(found.id)) return found;
          const id = found.id.replace(SOURCE, MADE);
          return { id, external: 'absolute' };
        },
      },
    ],
  });
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `mutation-${process.pid}-${module.replace(/\.ts$/, '.mjs')}`);
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}
