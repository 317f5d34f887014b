// Bundles the playground into out/play, or a folder that is named: a page that also works by itself, its worker, and the
// stories.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
const OUT = `${here}../out/play`;
/** Code with an address to connect to loads these; no code on a page has one. */
const CONNECTING =
  /\/adapters\/(sockets|zookeeper|grpc|open-database|client)\.ts$|^(ioredis|iovalkey|redis)$/;
/** The harness imports these for its commands, which no page uses: none may be left in a bundle. */
const NODE = /^node:/;

const withoutConnections = {
  name: 'holdfast:no-connections',
  resolveId: (id) => (CONNECTING.test(id) ? '\0connecting' : null),
  load: (id) => (id === '\0connecting' ? "throw new Error('a page connects to no server');" : null),
};

async function bundleOf(name, out) {
  const bundle = await rolldown({
    input: `${here}src/${name}.ts`,
    platform: 'browser',
    external: [NODE],
    plugins: [withoutConnections],
    resolve: { conditionNames: ['@holdfast/source', 'browser', 'import', 'default'] },
  });
  const { output } = await bundle.write({
    file: `${out}/${name}.js`,
    format: 'esm',
    minify: true,
    codeSplitting: false,
  });
  await bundle.close();
  const left = output[0].imports.filter((each) => NODE.test(each));
  if (left.length > 0) throw new Error(`${name}: a page has no ${left.join(', ')}`);
}

async function buildPlay(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await Promise.all([bundleOf('play', out), bundleOf('worker', out)]);
  cpSync(`${here}src/index.html`, `${out}/index.html`);
  cpSync(`${here}../harness/stories`, `${out}/stories`, { recursive: true });
}

await buildPlay(process.argv[2] ?? OUT);
