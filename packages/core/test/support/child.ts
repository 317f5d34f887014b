import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CORE = fileURLToPath(new URL('../../', import.meta.url));
const TSC = createRequire(import.meta.url).resolve('typescript/package.json');
/** Far more than any process needs; one that hangs is killed, and fails its test. */
const LIMIT_MS = 200_000;
/** Against hanging, not a measure: the compiler takes long on a machine that others share. */
export const PREPARE_MS = 200_000;

/** The start of every script: its locks, and all their events. */
const PRELUDE = `
  const { LOCK_EVENT_TYPES } = await import(process.env.CORE + 'index.js');
  const { createHost, createLocks, openMemory } = await import(process.env.CORE + 'backend.js');
  const host = createHost();
  const locks = createLocks(await openMemory({}, host), host);
  const events = [];
  for (const type of LOCK_EVENT_TYPES) locks.on(type, (event) => events.push(event.type));
`;

/** Separate Node processes, for behaviour of a whole process; they run the current sources. */
export class Children {
  readonly #folder: string;
  readonly #isOwn: boolean;

  constructor(folder: string, isOwn: boolean) {
    this.#folder = folder;
    this.#isOwn = isOwn;
  }

  /** Compiles the package to a folder of its own, so that no stale build is tested; `npm test` has just built it. */
  static async prepare(): Promise<Children> {
    if (process.env['HOLDFAST_BUILT'] !== undefined) return new Children(join(CORE, 'dist'), false);
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-core-'));
    const whole = ['composite', 'incremental', 'declaration', 'declarationMap', 'sourceMap'];
    const off = [...whole, 'isolatedDeclarations'].flatMap((option) => [`--${option}`, 'false']);
    const tsc = join(TSC, '../bin/tsc');
    const args = ['-p', CORE, '--outDir', folder, '--noCheck', '--tsBuildInfoFile', 'null', ...off];
    await run(process.execPath, [tsc, ...args]);
    return new Children(folder, true);
  }

  /** Runs `script` until its process exits by itself, and returns what it printed. */
  async run(script: string, nodeArgs: readonly string[] = []): Promise<string> {
    const args = [...nodeArgs, '--input-type=module', '--eval', PRELUDE + script];
    const env = { ...process.env, CORE: pathToFileURL(join(this.#folder, '/')).href };
    const { stdout } = await run(process.execPath, args, { env, timeout: LIMIT_MS });
    return stdout.trim();
  }

  async remove(): Promise<void> {
    if (this.#isOwn) await rm(this.#folder, { recursive: true });
  }
}
