// Bundles the playground into out/play, or a folder that is named: a page that also works by itself, its worker, the
// stories, and what its editor loads.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = `${ROOT}out/play`;
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

/** One file; with `chunks`, and more in a folder of that name, each loaded when a lock needs it. */
async function bundleOf(name, out, { format = 'esm', chunks } = {}) {
  const bundle = await rolldown({
    input: `${here}src/${name}.ts`,
    platform: 'browser',
    external: [NODE],
    plugins: [withoutConnections],
    // The simulator needs at once what a service may load later.
    checks: { ineffectiveDynamicImport: false },
    resolve: { conditionNames: ['@holdfast/source', 'browser', 'import', 'default'] },
  });
  const { output } = await bundle.write({
    dir: out,
    format,
    minify: true,
    ...(chunks === undefined
      ? { codeSplitting: false }
      : { chunkFileNames: `${chunks}/[name]-[hash].js` }),
  });
  await bundle.close();
  const left = output.flatMap(({ imports = [] }) => imports.filter((each) => NODE.test(each)));
  if (left.length > 0) throw new Error(`${name}: a page has no ${left.join(', ')}`);
}

/** The page in which edited code runs: its policy allows its own script, workers of blobs, eval, and nothing else. */
function frame() {
  const html = readFileSync(`${here}src/frame.html`, 'utf8');
  const [, script] = /<script>([^]*)<\/script>/.exec(html);
  const hash = createHash('sha256').update(script).digest('base64');
  return html.replace('SCRIPT', `sha256-${hash}`);
}

/** The code that readers can begin with, and the files of every lock. */
async function buildStarts(out) {
  const bundle = await rolldown({
    input: `${here}starts.mjs`,
    platform: 'node',
    external: [NODE, CONNECTING, '@grpc/grpc-js', /^pg$|^postgres$|^zookeeper$/],
    plugins: [withoutConnections],
    resolve: { conditionNames: ['@holdfast/source', 'node', 'import', 'default'] },
  });
  const file = `${out}/edit/starts.mjs`;
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  const { sources, starts } = await import(pathToFileURL(file).href);
  rmSync(file);
  writeFileSync(`${out}/edit/sources.json`, JSON.stringify(sources(ROOT)));
  writeFileSync(`${out}/edit/starts.json`, JSON.stringify(starts(ROOT)));
}

async function buildPlay(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(`${out}/edit`, { recursive: true });
  await Promise.all([
    bundleOf('play', out),
    bundleOf('worker', out, { chunks: 'locks' }),
    bundleOf('editor', out),
    bundleOf('realm', `${out}/edit`, { format: 'iife' }),
    buildStarts(out),
  ]);
  writeFileSync(`${out}/edit/frame.html`, frame());
  cpSync(`${here}src/index.html`, `${out}/index.html`);
  cpSync(`${ROOT}harness/stories`, `${out}/stories`, { recursive: true });
}

await buildPlay(process.argv[2] ?? OUT);
