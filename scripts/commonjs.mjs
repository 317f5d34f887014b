// Adds a copy in CommonJS to the built package in the current folder, in dist/commonjs. Runtimes do not load it: they
// load the ES modules by `require`, too. Jest and older tools cannot, and TypeScript with `module: node16` refuses
// the types of ES modules.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { withTabs } from './with-tabs.mjs';

const root = join(import.meta.dirname, '..');
const out = join(process.cwd(), 'dist', 'commonjs');

/** Puts all packages of ours into one bundle: a copy in CommonJS of each would be as large again as all of them. */
async function writeCode() {
  const build = await rolldown({
    input: join(process.cwd(), 'dist', 'index.js'),
    platform: 'node',
    // All else is installed beside this package.
    external: (id) => !/^(?:[./]|holdfast$|@holdfast\/(?!harness))/.test(id),
    logLevel: 'warn',
    plugins: [computedImports],
  });
  const { output } = await build.generate({
    format: 'cjs',
    // Jest cannot `import()`, without a flag.
    dynamicImportInCjs: false,
    chunkFileNames: '[name].js',
    // To be run, not read: the same code is beside it as ES modules.
    minify: true,
  });
  await build.close();
  for (const { fileName, code } of output)
    writeFileSync(join(out, fileName), code.replaceAll(HIDDEN, 'import('));
}

/**
 * A computed `import()`, of a user's own file, stays one: its name is a URL, and may be an ES module with a top-level
 * await. It goes by another name until the bundle is made.
 */
const HIDDEN = 'globalThis.holdfastImport(';
const computedImports = {
  name: 'computed-imports',
  transform: (code) => code.replaceAll(/(?<![\w.])import\((?!['"])/g, HIDDEN),
};

/** The declaration file of one of our packages, or of one of its entries. */
function entryOf(specifier) {
  const [, name, entry] = /^(?:@holdfast\/)?([^/]+)(.*)$/.exec(specifier);
  const folder = join(root, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { types } = exports[`.${entry}`];
  return posix.join(name, types.replace(/^\.\/dist\//, ''));
}

/** An example in a docstring, as the declarations of the ES modules show it, too. */
const EXAMPLE = /^[\t ]*\* @example\n[\t ]*\* ```ts\n[\s\S]*?^[\t ]*\* ```\n/gm;

/** Copies `file`, which is `<package>/<path in dist>`, and all declarations that it needs. */
function writeTypes(file, copied = new Set()) {
  if (copied.has(file)) return;
  copied.add(file);
  const [name, ...inside] = file.split('/');
  // Their package may have been packed before this one, or not.
  const path = join(root, 'packages', name, 'dist', ...inside);
  const text = withTabs(path, readFileSync(path, 'utf8'));
  const rewritten = text.replaceAll(
    /((?:import (?:type )?\{([^}]*)\} )?(?:from|import\()\s*['"])([^'"]+)(?=['"])/g,
    (all, before, names, specifier) => {
      const entry = targetOf(file, specifier);
      if (entry === undefined) return all;
      const target = sourceOf(entry, names);
      writeTypes(target, copied);
      const to = posix.relative(posix.dirname(file), target).replace(/\.d\.ts$/, '.js');
      return `${before}${to.startsWith('.') ? to : `./${to}`}`;
    },
  );
  const copy = join(out, 'types', file);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, rewritten.replaceAll(EXAMPLE, ''));
}

/** The declaration file that a specifier means; undefined if it is none of ours. */
function targetOf(file, specifier) {
  if (specifier.startsWith('.'))
    return posix.join(posix.dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts'));
  return specifier.startsWith('@holdfast/') ? entryOf(specifier) : undefined;
}

/** The file from which an entry passes on all of these names, so that the rest of its package is not copied; else the entry. */
function sourceOf(entry, names = '') {
  const wanted = namesIn(names);
  const [name, ...inside] = entry.split('/');
  const text = readFileSync(join(root, 'packages', name, 'dist', ...inside), 'utf8');
  for (const [, passed, specifier] of text.matchAll(
    /export (?:type )?\{([^}]*)\} from '(\.[^']+)'/g,
  )) {
    const has = namesIn(passed);
    if (wanted.length > 0 && wanted.every((each) => has.includes(each)))
      return targetOf(entry, specifier);
  }
  return entry;
}

function namesIn(list) {
  return list
    .split(',')
    .map((each) => each.replace(/^\s*type /, '').trim())
    .filter(Boolean);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await writeCode();
writeTypes(`${relative(join(root, 'packages'), process.cwd())}/index.d.ts`);
writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');
