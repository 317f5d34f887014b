import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source-file.ts';

const FAULTS = 'harness/src/faults';
/** The folder that passes the simulator its faults. */
const SIMULATOR_ENTRY = 'harness/src/simulator';

/**
 * Imports by which the simulator would know a fault, or one fault another: each is a folder of its own, which alone the
 * index names; what several share is in `parts`.
 */
export function wrongFaultImports(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith('harness/src/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier?.startsWith('.') === true)
        .map((specifier = '') => posix.join(posix.dirname(file.path), specifier))
        .filter((target) => isInside(target, FAULTS) && !mayImport(file.path, target))
        .map((target) => `${file.path} imports ${target}`),
    );
}

function mayImport(from: string, target: string): boolean {
  if (target === `${FAULTS}/index.ts`) return isInside(from, SIMULATOR_ENTRY);
  if (from === `${FAULTS}/index.ts`) return true;
  const folder = posix.dirname(target);
  return isInside(from, folder) || (folder === `${FAULTS}/parts` && isInside(from, FAULTS));
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** The parts of a package that its own tests alone may import by path. */
const INTERNAL = /^((?:packages\/[^/]+|harness)\/(?:src|test)|test)\//;
/** The files that a package offers to the tests of others. */
const KIT = /^(?:(?:packages\/[^/]+|harness)\/test\/kit(?:\/|\.ts$)|test\/support\/)/;

/** An import that the rule does not cover, by the two paths, and the reason. */
export interface ForeignImport {
  readonly from: RegExp;
  readonly target: RegExp;
  readonly reason: string;
}

/** Imports by which a test reaches into another package, past its public entries and its test kit. */
export function foreignImports(
  files: readonly SourceFile[],
  exceptions: readonly ForeignImport[] = [],
): readonly string[] {
  const isExcepted = (path: string, target: string): boolean =>
    exceptions.some((each) => each.from.test(path) && each.target.test(target));
  return files.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier?.startsWith('.') === true)
      .map((specifier = '') => posix.join(posix.dirname(file.path), specifier))
      .filter((target) => isForeign(file.path, target) && !isExcepted(file.path, target))
      .map((target) => `${file.path} imports ${target}`),
  );
}

function isForeign(path: string, target: string): boolean {
  return INTERNAL.test(target) && homeOf(path) !== homeOf(target) && !KIT.test(target);
}

/** The folder of the package to which a path belongs. */
function homeOf(path: string): string {
  const [floor = '', name = ''] = path.split('/');
  return floor === 'packages' ? `${floor}/${name}` : floor;
}
