// `npm run release:dry`: builds, checks and packs all public packages into out/release, and publishes nothing.
// With --check it only says what would be released. It reads the repository in the current folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRelease, wrongRanges } from './release.mjs';

const root = process.cwd();
const out = join(root, 'out', 'release');

/** @throws Error if the command fails; its output has been shown then */
function run(command, args, stdio = 'inherit') {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd: root,
    stdio,
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${status}`);
  return stdout;
}

function tarballOf({ name, version }) {
  return join(out, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/** What a registry would get: with ranges in place of `workspace:` and `catalog:`. */
function packedManifest({ manifest }) {
  const args = ['-xzOf', tarballOf(manifest), 'package/package.json'];
  return JSON.parse(run('tar', args, ['ignore', 'pipe', 'inherit']));
}

function pack({ packages, version, notes }) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const filters = packages.map(({ folder }) => `--filter=./${folder}`);
  const quiet = ['ignore', 'pipe', 'inherit'];
  run('pnpm', ['--recursive', ...filters, 'pack', `--pack-destination=${out}`], quiet);
  writeFileSync(join(out, 'notes.md'), `# ${version}\n\n${notes}\n`);
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  const wrong = packages.flatMap((each) => wrongRanges(packedManifest(each), version, names));
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

try {
  const release = readRelease(root);
  const isPacking = !process.argv.includes('--check');
  if (isPacking) {
    run(process.execPath, ['scripts/verify.mjs', 'build', 'checks']);
    pack(release);
  }
  console.log(`${isPacking ? '\n' : ''}${release.version}, to be published in this order:`);
  for (const { manifest } of release.packages)
    console.log(`  ${isPacking ? tarballOf(manifest) : manifest.name}`);
  console.log(`\n${release.notes}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
