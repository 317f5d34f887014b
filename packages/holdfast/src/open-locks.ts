import { hostname } from 'node:os';
import {
  InvalidOptionError,
  type LockEventOf,
  type Locks,
  type Requirement,
  type TokenOf,
} from '@holdfast/core';
import {
  type Backend,
  type Capabilities,
  createHost,
  createLocks,
  type Host,
  type HostOptions,
  type ListenableHost,
  type Reentry,
  shown,
  withFencingEpoch,
} from '@holdfast/core/backend';
import type { Config } from './backends/built-in.ts';
import { builtIn } from './backends/built-in.ts';
import type { BackendModule } from './backends/record.ts';
import { ANY_PROMISE, checkBeforeOpening, checkServes, defaultsOf } from './check-promises.ts';
import { checkOpenOptions } from './config/check-config.ts';
import { type ResolvedConfig, resolveSource, type StoreChoice } from './config/source.ts';
import type { Stores } from './config/types.ts';
import { inRootContext } from './telemetry/root-context.ts';

/** Options that the code sets, not the configuration. */
export interface OpenOptions<R extends readonly Requirement[] = readonly Requirement[]>
  extends HostOptions,
    StoreChoice {
  /**
   * Promises that the code relies on, besides those of the configuration. With a literal `fencing` or
   * `strict-fencing` the type of `lease.fencingToken` is `bigint`.
   */
  readonly require?: R | undefined;
  /**
   * What a call does about a key that its own async context holds, within the body of `use` or `tryUse`. `context`: it gets
   * that hold once more, with the options of that, and at most one such call runs at a time. `warn`: it waits for itself, as
   * without this option, and the event `warning` with the code `SELF_WAIT` names both places. See docs/guides/family.md for
   * the traps. Default: the locks do not follow their callers, which costs every promise of a process some time before Node
   * 24.
   */
  readonly reentrant?: 'context' | 'warn' | undefined;
}

/**
 * Opens locks from a URL (`memory:`, `redis://`, `rediss://`, `redis+sentinel://a,b,c/name`, `redlock://a,b,c`), a configuration, or the path of a
 * configuration file. Reports all errors of the configuration before anything connects. A store that is down can be
 * opened, and `acquire` fails then, unless the configuration says `connect: 'eager'`.
 * @example
 * ```ts
 * const locks = await openLocks('redis://localhost', { require: ['fencing'] });
 * await locks.use('orders/42', ({ signal, fencingToken }) => charge(order, { signal, fencingToken }));
 * await locks.close();
 * ```
 * @param options requirements, listeners, label and runtime; unknown options are rejected
 * @throws ConfigError, InvalidOptionError for a configuration or an option that is wrong
 * @throws CapabilityError for a promise that the backend does not make
 * @throws BackendUnavailableError with `connect: 'eager'`, unless the store serves
 * @throws LockError with the code `FENCING_EPOCH`, if the store has another fencing epoch
 */
export async function openLocks<const R extends readonly Requirement[] = readonly []>(
  source: string | Config | Stores,
  options: OpenOptions<R> = {},
): Promise<Locks<TokenOf<R>>> {
  checkOpenOptions(options);
  return await openResolved(await resolveSource(source, options), options);
}

/** Options of a caller within this package. */
interface InternalOptions {
  /**
   * What to do about the fencing epoch of the store. `check`, the default, refuses another one. `show` is for operators, who
   * look at what is there. `ignore` is for locks of a name of their own, which leave nothing that lasts.
   */
  readonly epoch?: 'check' | 'show' | 'ignore' | undefined;
}

/** Opens locks from a configuration that has been read and checked. */
export async function openResolved<const R extends readonly Requirement[] = readonly []>(
  resolved: ResolvedConfig,
  options: OpenOptions<R> & InternalOptions = {},
): Promise<Locks<TokenOf<R>>> {
  return (await openParts(resolved, options)).locks;
}

/** Locks, and the backend below them. */
export interface OpenedLocks<R extends readonly Requirement[]> {
  readonly locks: Locks<TokenOf<R>>;
  readonly backend: Backend;
}

/** As {@link openResolved}, for a caller that needs the backend, too. */
export async function openParts<const R extends readonly Requirement[] = readonly []>(
  resolved: ResolvedConfig,
  options: OpenOptions<R> & InternalOptions = {},
): Promise<OpenedLocks<R>> {
  const {
    require,
    runtime,
    on,
    label = `${hostname()}:${process.pid}`,
    reentrant,
    epoch = 'check',
  } = options;
  const { config } = resolved;
  const module = await moduleOf(resolved);
  const { withTelemetry } = await import('./telemetry/channels.ts');
  const reentry = await reentryOf(reentrant);
  const host = { ...withTelemetry(createHost({ runtime, on, label })), reentry };
  checkBeforeOpening(config, module.capabilities ?? ANY_PROMISE, require, host);

  printUnlessHeard(host);
  const opened = await inRootContext(() => openModule(module, resolved, host));
  try {
    const { backend, checkEpoch } =
      epoch === 'ignore'
        ? { backend: opened, checkEpoch: undefined }
        : withFencingEpoch(opened, host, epochOf(config));
    if (epoch === 'check') await checkEpoch?.();
    const defaults = defaultsOf(config, backend.capabilities);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types follow what the code requires; at run time both count
    const all = [...(require ?? []), ...(config.require ?? [])] as unknown as R;
    const locks = createLocks(backend, host, { ...defaults, require: all });
    if (config.connect === 'eager') await checkServes(locks);
    return { locks, backend };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** @throws InvalidOptionError for another word */
async function reentryOf(reentrant: unknown): Promise<Reentry | undefined> {
  if (reentrant === undefined) return undefined;
  if (reentrant !== 'context' && reentrant !== 'warn')
    throw new InvalidOptionError(
      `option reentrant must be 'context' or 'warn', not ${shown(reentrant)}`,
    );
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const { reentryBy } = await import('@holdfast/core/reentry');
  return reentryBy({ storage: new AsyncLocalStorage(), reenters: reentrant === 'context' });
}

let isPrinted = false;

/**
 * Prints the warning that a store may drop locks, unless the program listens to warnings by then. A store that was down is
 * looked at later, so it may come at any time.
 */
function printUnlessHeard(host: ListenableHost): void {
  const stop = host.on('warning', (event) => {
    if (event.code !== 'eviction-policy') return;
    stop();
    if (host.hears?.('warning') !== true) print(event);
  });
}

/** Once for each process, to its standard error: most programs have no listener, and locks that vanish are no detail. */
function print({ code, message }: LockEventOf<'warning'>): void {
  if (isPrinted) return;
  isPrinted = true;
  process.emitWarning(message, { type: 'HoldfastWarning', code });
}

function epochOf(config: Config): number | undefined {
  return 'fencingEpoch' in config ? config.fencingEpoch : undefined;
}

/** Opens the backend of a configuration as it is, without locks and without a fencing epoch. */
export async function openBackend(resolved: ResolvedConfig, host: Host): Promise<Backend> {
  return await openModule(await moduleOf(resolved), resolved, host);
}

/** What the backend of a configuration promises, without opening it; undefined if it does not say so before. */
export async function capabilitiesOf(resolved: ResolvedConfig): Promise<Capabilities | undefined> {
  return (await moduleOf(resolved)).capabilities;
}

async function openModule(
  module: BackendModule<Config>,
  { config, folder }: ResolvedConfig,
  host: Host,
): Promise<Backend> {
  return await module.open(config, host, (part) => openBackend({ config: part, folder }, host));
}

/** Loads the code for imported backends only if it is needed, since it costs start-up time. */
async function moduleOf({ config, folder }: ResolvedConfig): Promise<BackendModule<Config>> {
  const record = builtIn(config.backend);
  if (record !== undefined) return await record.load(config);
  const { importBackend } = await import('./backends/import-backend.ts');
  return await importBackend(config.backend, folder);
}
