import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runChecked } from '../../../support/run.ts';
import { root } from '../../../support/source-file.ts';

/** A JavaScript runtime, which npm has as a package for each platform. */
export interface Runtime {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The program, inside of its package. */
  readonly program: string;
  /** What stands before the path of a script. */
  readonly before: readonly string[];
}

const { platform, arch } = process;
const bunArch = arch === 'arm64' ? 'aarch64' : arch;
const denoLibc = platform === 'linux' ? '-glibc' : '';

function node(version: string): Runtime {
  return {
    name: `Node ${version}`,
    package: `node-${platform}-${arch}`,
    version,
    program: 'bin/node',
    before: [],
  };
}

/** All on which the library is said to work. */
export const RUNTIMES: readonly Runtime[] = [
  node('20.19.0'),
  node('22'),
  node('24'),
  node('26'),
  {
    name: 'Bun',
    package: `@oven/bun-${platform}-${bunArch}`,
    version: '1.4.4',
    program: 'bin/bun',
    before: [],
  },
  {
    name: 'Deno',
    package: `@deno/${platform}-${arch}${denoLibc}`,
    version: '2.9.6',
    program: 'deno',
    before: ['run', '--allow-all', '--quiet'],
  },
];

/**
 * The path of a runtime's program. Together they take 930 MB, so nothing installs them but this, once, into `out/`.
 */
export async function programOf(runtime: Runtime): Promise<string> {
  const folder = join(
    root,
    'out/runtimes',
    `${runtime.package.replace('/', '-')}-${runtime.version}`,
  );
  const program = join(folder, 'node_modules', runtime.package, runtime.program);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const wanted = `${runtime.package}@${runtime.version}`;
  await runChecked('npm', ['install', '--prefix', folder, ...quiet, wanted], { cwd: folder });
  return program;
}
