import { ConfigError } from '@holdfast/core';
import {
  type Backend,
  type Capabilities,
  didYouMean,
  type Host,
  type OpenBackend,
  redactText,
  redactUrl,
} from '@holdfast/core/backend';
import { importIfInstalled, importUrl } from '../config/import-url.ts';
import { messageOf, redactCause } from '../config/redact.ts';
import { checkedBackend } from './backend-shape.ts';
import type { Config } from './built-in.ts';
import { BACKENDS, BUILT_IN_NAMES } from './built-in.ts';
import { isPath, moduleUrl } from './module-file.ts';
import type { BackendModule } from './record.ts';

type Options = Readonly<Record<string, unknown>>;

/** It opens no configuration within its own. */
interface ImportedModule extends BackendModule<Config> {
  open(config: Config, host: Host): Promise<Backend>;
}

/** The module of the harness that lists the exhibits; the harness may be absent. */
const EXHIBITS = '@holdfast/harness/exhibits';

interface ExhibitsModule {
  readonly EXHIBITS: readonly { readonly name: string; readonly flaw: string }[];
}

/**
 * Loads an imported backend: a package, or a file whose name starts with `.` or `/`. It exports `openBackend`, by name
 * or as default. It may export `capabilities`, to check requirements before it connects, and `deployment`, for the
 * simulator.
 * @param folder the folder from which files and packages are resolved
 * @throws ConfigError
 */
export async function importBackend(name: string, folder: string): Promise<ImportedModule> {
  await rejectExhibit(name);
  const url = backendUrl(name, folder);
  const exports = await load(name, url);
  const openBackend = exports['openBackend'] ?? exports['default'];
  if (!isOpenBackend(openBackend)) {
    throw new ConfigError(
      `"${redactUrl(name)}" is not a backend: it exports neither openBackend nor a default function.${longerName(name)}`,
      { backend: redactUrl(name) },
    );
  }
  const capabilities = exports['capabilities'];
  return {
    capabilities: isCapabilities(capabilities) ? capabilities : undefined,
    deployment: exports['deployment'],
    open: async (config, host) =>
      await checkedBackend(await openBackend(ownOptions(config), host), redactUrl(name)),
  };
}

/**
 * Resolves the module `name` to its URL.
 * @throws ConfigError if it does not exist
 */
export function backendUrl(name: string, folder: string): string {
  const url = moduleUrl(name, folder);
  if (url === undefined) throw missing(name, folder);
  return url;
}

/** True for any function: its parameters and its result cannot be checked from outside. */
function isOpenBackend(value: unknown): value is OpenBackend<Options> {
  return typeof value === 'function';
}

function isCapabilities(value: unknown): value is Capabilities {
  return typeof value === 'object' && value !== null && 'lease' in value && 'fencing' in value;
}

/** The ttl is among them, because sessions are opened with one. */
function ownOptions(config: Config): Options {
  const own = 'options' in config ? config.options : undefined;
  return config.ttlMs === undefined ? { ...own } : { ...own, ttlMs: config.ttlMs };
}

function missing(name: string, folder: string): ConfigError {
  const backend = redactUrl(name);
  if (isPath(name)) {
    const message = `backend file "${backend}" does not exist in ${redactUrl(folder)}`;
    return new ConfigError(message, { backend });
  }
  const known = `unknown backend "${backend}"; built in are ${BUILT_IN_NAMES.join(', ')}.`;
  return new ConfigError(`${known}${hint(name)}`, { backend });
}

/** The package of a client is taken for the backend that uses it. */
function longerName(name: string): string {
  const meant = BUILT_IN_NAMES.find((each) => each.startsWith(`${name}-`));
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

function hint(name: string): string {
  const suggestion = didYouMean(name, BUILT_IN_NAMES);
  if (suggestion !== '') return suggestion;
  return name.includes('//') || redactUrl(name) !== name
    ? ' A URL is given as "url", or to openLocks as it is.'
    : ` If it is a package: npm i ${name}`;
}

async function load(name: string, url: string): Promise<Options> {
  try {
    return await importUrl(url);
  } catch (cause) {
    const backend = redactUrl(name);
    const isOpen = redactUrl(url) === url;
    const message = isOpen ? redactText(messageOf(cause)) : 'its path looks like a password';
    throw new ConfigError(
      `backend "${backend}" could not be loaded: ${message}${typesHint(url, cause)}`,
      isOpen ? { backend, cause: redactCause(cause) } : { backend },
    );
  }
}

/** Node 20 does not run TypeScript, and versions before 22.18 do so only with a flag. */
function typesHint(url: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code !== 'ERR_UNKNOWN_FILE_EXTENSION' || !/\.[cm]?ts$/.test(url)) return '';
  return `. Node ${process.versions.node} does not run TypeScript: compile the file (npx tsc), or use Node 24`;
}

/** @throws ConfigError for an exhibit, with the name of the backend to use instead */
async function rejectExhibit(name: string): Promise<void> {
  // Loaded only for a name that is not built in: locking does not need it.
  const loaded: Partial<ExhibitsModule> | undefined = await importIfInstalled(EXHIBITS);
  const exhibit = loaded?.EXHIBITS?.find((each) => each.name === name);
  if (exhibit === undefined) return;
  throw new ConfigError(
    `"${name}" is an exhibit, for demonstration only: ${exhibit.flaw}. Use ${suggestedBackend()}.`,
    { backend: name },
  );
}

/** The backend of a plain Redis URL: every exhibit is a failed attempt at it. */
function suggestedBackend(): string {
  return BACKENDS.find(({ schemes }) => Object.hasOwn(schemes, 'redis'))?.name ?? '';
}
