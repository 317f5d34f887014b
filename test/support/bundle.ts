import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** One thing made wrong in what is bundled: `find` occurs once in the one file whose path ends in `file`. */
export interface Mutation {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const TEST = fileURLToPath(new URL('..', import.meta.url));
/** Within reach of what the tests have installed, for what stays outside of the bundle. */
const FOLDER = join(TEST, 'node_modules/.bundles');

/** Several processes run one script, and the sources do not change meanwhile. */
const made = new Map<string, Promise<string>>();

/**
 * One script for a process of its own, of a module below `test/` and the sources of all packages that it uses. The same one
 * is made once.
 * @returns its path
 */
export function bundle(module: string, mutation?: Mutation): Promise<string> {
  const of = JSON.stringify([module, mutation]);
  const script = made.get(of) ?? make(module, mutation);
  made.set(of, script);
  return script;
}

async function make(module: string, mutation: Mutation | undefined): Promise<string> {
  let mutated = 0;
  const build = await rolldown({
    input: join(TEST, module),
    platform: 'node',
    external: ['zookeeper', 'ioredis', 'iovalkey', 'redis', 'pg'],
    resolve: { conditionNames: ['@holdfast/source', 'node', 'import', 'default'] },
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutation',
        transform(code, id) {
          if (mutation === undefined || !id.endsWith(mutation.file)) return undefined;
          mutated += code.split(mutation.find).length - 1;
          return { code: code.replace(mutation.find, () => mutation.replace) };
        },
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  if (mutation !== undefined && mutated !== 1)
    throw new Error(`expected to find this once in ${mutation.file}:\n${mutation.find}`);
  const [{ code }, ...more] = output;
  if (more.length > 0) throw new Error(`${module} is not one script`);
  return keep(code);
}

/** Stores the script under a hash of its content: several test files may make equal ones at once. */
function keep(code: string): string {
  const name = createHash('sha256').update(code).digest('hex').slice(0, 16);
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.mjs`);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, path);
  return path;
}
