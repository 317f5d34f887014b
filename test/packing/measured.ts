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

/** Reports the modules that Node loads. It runs in a thread of its own, so it sends a name for each, and the caller counts. */
const LOADER = `let port;
export function initialize(data) { port = data.port; }
export async function load(url, context, next) {
  if (!url.startsWith('node:')) port.postMessage(url);
  return await next(url, context);
}`;

/** Counts the modules that a line of JavaScript loads in a project: ours and others, without Node's own. */
export async function modulesOf(project: string, line: string): Promise<number> {
  const script = `
    import { register } from 'node:module';
    import { MessageChannel } from 'node:worker_threads';
    const { port1, port2 } = new MessageChannel();
    const seen = new Set();
    port1.on('message', (url) => seen.add(url));
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(LOADER)}), {
      data: { port: port2 },
      transferList: [port2],
    });
    process.once('exit', () => console.log('modules ' + seen.size));
    port1.unref();
    await (async () => { ${line.startsWith('import ') ? line.replace(/^import (.*)$/, 'await import($1)') : line} })();`;
  const { output } = await run('node', ['--input-type=module', '--eval', script], {
    cwd: project,
  });
  const count = /^modules (\d+)$/m.exec(output)?.[1];
  if (count === undefined) throw new Error(`nothing was counted: ${output}`);
  return Number(count);
}
