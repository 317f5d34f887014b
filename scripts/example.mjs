// `npm run example 02 [url]` runs examples/02-*.ts as it was built; without a number it lists them.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'examples');
const names = readdirSync(folder).flatMap((file) => /^(\d\d-.*)\.ts$/.exec(file)?.[1] ?? []);
const [wanted, ...args] = process.argv.slice(2);
const name = wanted && names.find((candidate) => candidate.startsWith(wanted));

if (name) {
  const built = join(folder, 'dist', `${name}.js`);
  process.exitCode =
    spawnSync(process.execPath, [built, ...args], { stdio: 'inherit' }).status ?? 1;
} else {
  console.log(`npm run example <number> [url], where <number> is one of\n  ${names.join('\n  ')}`);
  process.exitCode = wanted ? 2 : 0;
}
