import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The declaration files of the entries of a package, whatever their conditions, by their path in `dist`. */
function entriesIn(exports) {
  if (typeof exports === 'string') return exports.endsWith('.d.ts') ? [exports.slice(7)] : [];
  return Object.values(exports).flatMap(entriesIn);
}

/** The declaration files in the `dist` of a package that no entry of it leads to, so that no TypeScript reads them. */
export function hiddenDeclarations(folder) {
  const dist = join(folder, 'dist');
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const reached = new Set(entriesIn(exports));
  for (const file of reached) {
    // A copy in CommonJS is made later, of what it needs.
    if (file.startsWith('commonjs/')) continue;
    const text = readFileSync(join(dist, file), 'utf8');
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g))
      reached.add(posix.join(posix.dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts'));
  }
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.d.ts') && !file.startsWith('commonjs/'))
    .filter((file) => !reached.has(file));
}
