import { ConfigError } from '@holdfast/core';
import { transform } from 'sucrase';

export type Module = Readonly<Record<string, unknown>>;
/** Modules that text may import, by their names; each exists once, so that classes are the same for all. */
export type ModuleTable = Readonly<Record<string, Module>>;

/**
 * Evaluates a module and the files that it imports. An import of anything else is refused: nothing is loaded from
 * anywhere.
 * @param files TypeScript or JavaScript, by path
 * @param shared files that exist already, by path
 * @throws ConfigError for text that is no module, and for an import of an unknown one
 */
export function evaluate(
  entry: string,
  files: Readonly<Record<string, string>>,
  table: ModuleTable,
  shared: Readonly<Record<string, object>> = {},
): Module {
  const paths = new Map(Object.keys(files).map((path) => [stem(path), path]));
  const evaluated = new Map<string, Module>();
  const existing = new Map(Object.entries(shared).map(([path, module]) => [stem(path), module]));
  const load = (path: string): Module => {
    const already = evaluated.get(path);
    if (already !== undefined) return already;
    const module: Record<string, unknown> = {};
    // Before its code runs, since files may import each other in a circle.
    evaluated.set(path, module);
    const run = functionOf(path, compile(path, files[path] ?? ''));
    run((name) => resolve(path, name), module);
    return module;
  };
  const resolve = (from: string, name: string): Module => {
    if (!name.startsWith('.')) return known(table, from, name);
    const wanted = stem(joined(from, name));
    const module = existing.get(wanted);
    if (module !== undefined) return { ...module };
    const path = paths.get(wanted);
    if (path === undefined) throw new ConfigError(`${from} imports ${name}, which is not here`);
    return load(path);
  };
  return load(paths.get(stem(entry)) ?? entry);
}

function known(table: ModuleTable, from: string, name: string): Module {
  const module = Object.hasOwn(table, name) ? table[name] : undefined;
  if (module !== undefined) return module;
  const names = Object.keys(table).join(', ');
  throw new ConfigError(`${from} imports ${name}; it may import ${names}`);
}

/**
 * Strips the types of a module, and makes its imports calls of `require`: so that they can be served from a table.
 * @throws ConfigError with the place, for text that is no module
 */
function compile(path: string, text: string): string {
  try {
    return transform(text, {
      transforms: ['typescript', 'imports'],
      disableESTransforms: true,
      production: true,
      filePath: path,
    }).code;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(why.replace(/^Error transforming [^:]+: /, `${path}: `), { cause });
  }
}

type ModuleFunction = (require: (name: string) => Module, exports: object) => void;

function functionOf(path: string, code: string): ModuleFunction {
  // The text is the reader's own, and runs only where its reader has agreed to that.
  // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-type-assertion
  return new Function(
    'require',
    'exports',
    `'use strict';${code}\n//# sourceURL=${path}`,
  ) as ModuleFunction;
}

/** A path without its ending: text may be given as TypeScript, and imported as JavaScript. */
function stem(path: string): string {
  return path.replace(/\.[cm]?[jt]s$/, '');
}

function joined(from: string, name: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of name.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  return parts.join('/');
}
