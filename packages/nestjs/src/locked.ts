import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, type InjectionToken } from '@nestjs/common';
import {
  type AcquireOptions,
  CapabilityError,
  ConfigError,
  type Lease,
  type TryUseOptions,
} from 'holdfast';
import { Locks } from './locks.ts';

type Arguments = readonly any[];

/** A key, or what makes one of the arguments of the method. */
export type KeyOf<Args extends Arguments> = string | ((...args: Args) => string);

/** A decorator of methods that take these arguments, perhaps more, and return a promise. */
export type LockedMethod<Args extends Arguments, Result> = <
  M extends (...args: [...Args, ...more: never[]]) => Promise<Result>,
>(
  prototype: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** Which locks a decorator uses. */
interface From {
  /** The token of the locks, where there are several. Default: {@link Locks}. */
  readonly token?: InjectionToken | undefined;
}

type Method = (this: object, ...args: unknown[]) => Promise<unknown>;
/** `use`, or `tryUse`. */
type Run = (
  locks: Locks,
  key: string,
  body: (lease: Lease) => Promise<unknown>,
) => Promise<unknown>;

const leases = new AsyncLocalStorage<Lease>();

/**
 * The lease under which a method with {@link Locked} or {@link TryLocked} runs: its token for the resource, its signal.
 * @example
 * ```ts
 * const { fencingToken, signal } = currentLease();
 * ```
 * @throws CapabilityError outside of such a method
 */
export function currentLease(): Lease {
  const lease = leases.getStore();
  if (lease !== undefined) return lease;
  throw new CapabilityError('currentLease() is for code that a method with @Locked calls');
}

/**
 * Runs the method while it holds the key, as `locks.use` does. The class must be a provider or a controller of Nest. A call
 * from one locked method to another with an equal key waits for itself.
 * @example
 * ```ts
 * class Billing {
 *   @Locked((id: string) => `orders/${id}`, { waitMs: 2_000 })
 *   async charge(id: string): Promise<void> {
 *     await charge({ id }, currentLease());
 *   }
 * }
 * ```
 * @throws from the method: what it throws itself, and all errors of `locks.use`
 */
export function Locked<Args extends Arguments = any[]>(
  key: KeyOf<Args>,
  { token, ...options }: AcquireOptions & From = {},
): LockedMethod<Args, unknown> {
  return locking(key, token, (locks, of, body) => locks.use(of, body, options));
}

/**
 * Runs the method if the key is free, as `locks.tryUse` does; otherwise it is skipped, and resolves to undefined. For jobs
 * that one of many replicas should run: `keepMs` is for those whose clocks are late.
 * @example
 * ```ts
 * class Reports {
 *   @TryLocked('nightly-report', { keepMs: 60_000 }) // below @Cron
 *   async send(): Promise<void> {}
 * }
 * ```
 * @throws from the method: what it throws itself, and all errors of `locks.tryUse`
 */
export function TryLocked<Args extends Arguments = any[]>(
  key: KeyOf<Args>,
  { token, ...options }: TryUseOptions & From = {},
): LockedMethod<Args, void> {
  return locking(key, token, async (locks, of, body) => {
    const run = await locks.tryUse(of, body, options);
    return run.ran ? run.value : undefined;
  });
}

function locking<Args extends Arguments, Result>(
  keyOf: KeyOf<any[]>,
  token: InjectionToken = Locks,
  run: Run,
): LockedMethod<Args, Result> {
  return (prototype, name, descriptor) => {
    const locksOf = injected(prototype, token);
    const method: Method = Object(descriptor)['value'];
    const locked: Method = async function (...args) {
      const locks = locksOf(this);
      const key = typeof keyOf === 'string' ? keyOf : keyOf(...args);
      return await run(locks, key, (lease) => leases.run(lease, () => method.apply(this, args)));
    };
    Object.defineProperty(locked, 'name', { value: String(name) });
    // Decorators below this one have noted something about the method, such as its route. Nest looks along this chain, too.
    Object.setPrototypeOf(locked, method);
    Reflect.set(descriptor, 'value', locked);
  };
}

/** Lets Nest put the locks into every instance, under a symbol of the token. */
function injected(prototype: object, token: InjectionToken): (instance: object) => Locks {
  const property = symbolOf(token);
  Inject(token)(prototype, property);
  return (instance) => {
    const locks: Locks | undefined = Reflect.get(instance, property);
    if (locks !== undefined) return locks;
    throw new ConfigError(
      `${prototype.constructor.name} has a method with @Locked, but was not made by Nest: declare it as a provider`,
    );
  };
}

/** One for each token, so that many locked methods are one injection. */
const symbols = new Map<InjectionToken, symbol>();
function symbolOf(token: InjectionToken): symbol {
  const symbol = symbols.get(token) ?? Symbol('holdfast: locks');
  symbols.set(token, symbol);
  return symbol;
}
