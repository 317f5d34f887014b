import { ConfigError, InvalidOptionError } from '@holdfast/core';
import { didYouMean, REQUIREMENTS, redactUrl, shown } from '@holdfast/core/backend';
import * as v from 'valibot';
import type { Config } from '../backends/built-in.ts';
import { BACKENDS, BUILT_IN_NAMES, builtIn } from '../backends/built-in.ts';
import { defaults, fencingEpoch } from './fields.ts';
import type { ImportedConfig } from './types.ts';
import type { Entries } from './url-parameters.ts';

type Issue = v.BaseIssue<unknown>;

/** The schema for an imported backend, which checks its own options itself. */
export const importedConfig: v.GenericSchema<ImportedConfig> = v.strictObject({
  backend: v.pipe(
    v.string('must be a string'),
    v.description('A package, or a file (./mine.js), that exports openBackend.'),
  ),
  options: v.optional(
    v.pipe(
      v.record(v.string(), v.unknown(), 'must be an object'),
      v.description('What the backend is opened with, beside ttlMs. It checks them itself.'),
    ),
  ),
  fencingEpoch,
  ...defaults,
});

/**
 * Checks a configuration before anything is opened.
 * @param where the source that errors name: a file, or `config`
 * @throws ConfigError with the option, its error, and the nearest known option
 */
export function checkConfig(config: unknown, where: string): Config {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new ConfigError(`${where} must be an object such as { "backend": "memory" }`);
  }
  const backend = 'backend' in config ? config.backend : undefined;
  if (typeof backend !== 'string' || backend === '') throw missingBackend(config, where);
  const known = builtIn(backend);
  const schema = schemaOf(backend);
  const result = v.safeParse(schema, config);
  if (!result.success)
    throw issueText(result.issues, Object.keys(entriesOf(schema)), where, backend);
  for (const part of known?.parts ?? [])
    checkConfig(Reflect.get(config, part), `${where}, ${part}`);
  const reject = (message: string): never => {
    throw new ConfigError(`${where}: ${message}`, { backend });
  };
  known?.check?.(result.output, reject, (name) => builtIn(name) !== undefined);
  return result.output;
}

/** The schema of the configurations of a backend. */
function schemaOf(backend: string): v.GenericSchema<Config> {
  return builtIn(backend)?.schema ?? importedConfig;
}

/** The options of the backend that a configuration names; none if it names none. */
export function optionsOf({ backend }: Readonly<Record<string, unknown>>): Entries {
  return typeof backend === 'string' ? entriesOf(schemaOf(backend)) : {};
}

/** The options of a configuration that are configurations themselves. */
export function partsOf({ backend }: Readonly<Record<string, unknown>>): readonly string[] {
  return (typeof backend === 'string' ? builtIn(backend)?.parts : undefined) ?? [];
}

function missingBackend(config: object, where: string): ConfigError {
  const names = BUILT_IN_NAMES.join(', ');
  const misspelt = Object.keys(config).find((key) => didYouMean(key, ['backend']) !== '');
  const hint =
    misspelt === undefined || misspelt === 'backend'
      ? ''
      : ` Did you mean "backend" by "${misspelt}"?`;
  return new ConfigError(
    `${where} needs "backend": one of ${names}, or the name of a package or file.${hint}`,
  );
}

/** The options of a backend, each with the schema of its value. */
export function entriesOf(schema: v.GenericSchema<Config>): Entries {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every configuration is a strict object
  return (schema as unknown as { readonly entries: Entries }).entries;
}

/** The options in the schemas of all backends. */
function optionNames(): readonly string[] {
  return BACKENDS.flatMap(({ schema }) => Object.keys(entriesOf(schema)));
}

/** True for an unknown option: a strict object reports a missing option by an issue of this type, too. */
function isUnknownOption({ type, path }: Issue, options: readonly string[]): boolean {
  return type === 'strict_object' && !options.includes(String(path?.[0]?.key));
}

function issueText(
  issues: readonly [Issue, ...Issue[]],
  options: readonly string[],
  where: string,
  backend: string,
): ConfigError {
  // A missing option may be there under a wrong name, so an unknown name is reported first.
  const issue = issues.find((each) => isUnknownOption(each, options)) ?? issues[0];
  const path = issue.path?.map((step) => String(step.key)) ?? [];
  const reject = (message: string): ConfigError =>
    new ConfigError(`${where}: ${message}`, { backend: redactUrl(backend) });
  const [option = ''] = path;
  if (isUnknownOption(issue, options)) return reject(unknownOption(option, options, backend));
  if (issue.type === 'strict_object') return reject(`backend ${backend} needs "${option}".`);
  const { input } = issue;
  const isListed = path[0] === 'require' && path.length > 1 && typeof input === 'string';
  const hint = isListed ? didYouMean(input, REQUIREMENTS) : '';
  return reject(`${path[0] ?? 'it'} ${issue.message}, not ${shown(input)}.${hint}`);
}

function unknownOption(option: string, options: readonly string[], backend: string): string {
  const known = options.filter((name) => name !== '$schema' && name !== 'backend');
  const record = builtIn(backend);
  if (record === undefined) return unknownOfImported(option, known, backend);
  const omitted = record.omitted ?? {};
  const why = Object.hasOwn(omitted, option) ? omitted[option] : undefined;
  if (why !== undefined) return `backend ${backend} has no option "${option}": ${why}`;
  const hint = didYouMean(option, known);
  const list = hint === '' ? ` Use one of ${known.join(', ')}.` : hint;
  return `backend ${backend} has no option "${redactUrl(option)}".${list}`;
}

/** Either the option belongs to the imported backend, or the name of a built-in one is misspelt. */
function unknownOfImported(option: string, known: readonly string[], backend: string): string {
  const name = redactUrl(backend);
  const builtIns = BUILT_IN_NAMES.join(', ');
  const meant = didYouMean(backend, BUILT_IN_NAMES);
  if (meant !== '') return `unknown backend "${name}"; built in are ${builtIns}.${meant}`;
  const place = `"options": { "${redactUrl(option)}": … }`;
  return `backend "${name}" is none of ${builtIns}, so its own options go under ${place}.${didYouMean(option, known)}`;
}

/** Options in the second argument of `openLocks`. */
const NAMES: readonly string[] = ['require', 'store', 'label', 'on', 'runtime', 'reentrant'];
/** Options of calls only. */
const OF_CALLS: ReadonlySet<string> = new Set(['signal', 'keepMs']);

/**
 * Rejects options that would be ignored: misspelt ones, and options that belong elsewhere.
 * @throws InvalidOptionError with the place where the option belongs, or the name that was probably meant
 */
export function checkOpenOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new InvalidOptionError('the second argument of openLocks must be an object');
  for (const name in options) {
    if (NAMES.includes(name)) continue;
    throw new InvalidOptionError(
      `the second argument of openLocks has no option "${redactUrl(name)}"${whereItBelongs(name)}`,
    );
  }
}

function whereItBelongs(name: string): string {
  const example = `openLocks({ backend: "redis-simple", url: "redis://localhost", ${name}: … })`;
  if (Object.hasOwn(defaults, name))
    return `: it belongs in the configuration, ${example}, or in a call`;
  if (optionNames().includes(name)) return ': it belongs in the configuration, the first argument';
  if (OF_CALLS.has(name)) return ': it belongs in a call, such as acquire or use';
  const hint = didYouMean(name, NAMES);
  return hint === '' ? `. Use one of ${NAMES.join(', ')}.` : `.${hint}`;
}
