import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/run.ts';

/** The size of our packages on a disk, without their dependencies. */
export interface Installed {
  readonly files: number;
  readonly bytes: number;
}

/** Of `holdfast` and all packages of its scope in a project. */
export function installed(project: string): Installed {
  const modules = join(project, 'node_modules');
  const sizes = ['holdfast', '@holdfast'].flatMap((name) =>
    readdirSync(join(modules, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).size),
  );
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Reports what Node loads. It runs in a thread of its own, so it sends name and size of each module, and the caller adds up. */
const LOADER = `let port;
export function initialize(data) { port = data.port; }
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.startsWith('node:')) port.postMessage([url, loaded.source?.length ?? 0]);
  return loaded;
}`;

/** What a program loads: ours and others, without Node's own. */
export interface Loaded {
  readonly modules: number;
  /** Does not change when a file is split in two, unlike the number of modules. */
  readonly bytes: number;
}

/** Measures what a line of JavaScript loads in a project. */
export async function loadedBy(project: string, line: string): Promise<Loaded> {
  const script = `
    import { register } from 'node:module';
    import { MessageChannel } from 'node:worker_threads';
    const { port1, port2 } = new MessageChannel();
    const seen = new Map();
    port1.on('message', ([url, bytes]) => seen.set(url, bytes));
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(LOADER)}), {
      data: { port: port2 },
      transferList: [port2],
    });
    process.once('exit', () => {
      const bytes = [...seen.values()].reduce((sum, each) => sum + each, 0);
      console.log('loaded ' + seen.size + ' ' + bytes);
    });
    port1.unref();
    await (async () => { ${line.startsWith('import ') ? line.replace(/^import (.*)$/, 'await import($1)') : line} })();`;
  const { output } = await run('node', ['--input-type=module', '--eval', script], {
    cwd: project,
  });
  const [, modules, bytes] = /^loaded (\d+) (\d+)$/m.exec(output) ?? [];
  if (modules === undefined) throw new Error(`nothing was counted: ${output}`);
  return { modules: Number(modules), bytes: Number(bytes) };
}
