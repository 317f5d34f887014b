// What a release consists of: one version, the newest section of the changelog, and the packages in order.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of all that is published. */
function publishedFolders(root) {
  return [...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`), 'harness'];
}

/**
 * Reads the release that the files below `root` describe.
 * @throws Error naming everything that disagrees
 */
export function readRelease(root) {
  const packages = publishedFolders(root).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return { folder, manifest };
  });
  const { version: newest, notes } = newestSection(
    readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  );
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  const faults = packages.flatMap(({ folder, manifest }) => [
    ...(manifest.private === true ? [`${folder} is private`] : []),
    ...(manifest.version === newest
      ? []
      : [
          `${folder} has version ${manifest.version}, the newest section of CHANGELOG.md ${newest}`,
        ]),
    ...rangesOf(manifest, names)
      .filter(([, range]) => range !== 'workspace:^')
      .map(([name, range]) => `${folder} needs ${name} as "${range}"; use "workspace:^"`),
  ]);
  if (notes === '') faults.push(`section ${newest} of CHANGELOG.md is empty`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { version: newest, notes, packages: inOrder(packages) };
}

/** Says what is wrong with the ranges of a packed manifest. */
export function wrongRanges(manifest, version, names) {
  return rangesOf(manifest, names)
    .filter(([, range]) => range !== `^${version}`)
    .map(([name, range]) => `${manifest.name} needs ${name} as "${range}", not "^${version}"`);
}

/** The ranges in which a package needs others of these names. */
function rangesOf({ dependencies = {}, peerDependencies = {} }, names) {
  const all = [...Object.entries(dependencies), ...Object.entries(peerDependencies)];
  return all.filter(([name]) => names.has(name));
}

function newestSection(changelog) {
  const [, section = ''] = changelog.split(/^## /m);
  const [heading = '', ...lines] = section.split('\n');
  const version = /^\[(\d+\.\d+\.\d+(?:-[\w.]+)?)\]/.exec(heading)?.[1];
  if (version === undefined)
    throw new Error(`the newest section of CHANGELOG.md is "${heading}"; use "[1.2.3] - date"`);
  return { version, notes: lines.join('\n').trim() };
}

/** Puts every package behind those that it depends on. Optional peers do not count: the harness and holdfast are one of each other's. */
function inOrder(packages) {
  const ordered = new Map();
  const add = (each) => {
    if (ordered.has(each.manifest.name)) return;
    for (const name of Object.keys(each.manifest.dependencies ?? {})) {
      const needed = packages.find(({ manifest }) => manifest.name === name);
      if (needed !== undefined) add(needed);
    }
    ordered.set(each.manifest.name, each);
  };
  packages.forEach(add);
  return [...ordered.values()];
}
