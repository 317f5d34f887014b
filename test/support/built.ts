import type { ViteUserConfig } from 'vitest/config';

type Plugins = NonNullable<ViteUserConfig['plugins']>;

/** A source of ours, to be replaced by {@link MADE}. */
export const SOURCE: RegExp = /\/(packages\/[^/]+|harness)\/src\/([^?]+)\.ts$/;
/** The built file of that source. */
export const MADE = '/$1/dist/$2.js';
/** Files that Node loads by itself. */
export const BUILT: RegExp =
  /\/(?:packages\/[^/]+|harness|\.mutants\/[^/]+\/[^/]+\/[^/]+)\/dist\/[^?]+\.js$/;

/**
 * Lets tests load what was built from the sources that they import. Vitest's own loader reads every imported name anew
 * at every use: schedules played through it take about twice as long.
 */
export function built(): Plugins[number] {
  return {
    name: 'holdfast:built',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found === null || !SOURCE.test(found.id)) return found;
      return { ...found, id: found.id.replace(SOURCE, MADE) };
    },
  };
}
