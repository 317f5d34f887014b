import type { ObserveCall } from './call-observer.ts';
import { InvalidOptionError } from './errors.ts';
import type { LockEvent, LockEventOf, LockEventType, LockListener } from './events.ts';
import type { Reentry } from './hold-context.ts';
import { readNames, shown } from './options.ts';
import { cleanLabel } from './owner.ts';
import type { Host } from './port.ts';
import { unknownName } from './quote.ts';
import { type Runtime, systemRuntime } from './runtime.ts';

/** All types of events, for listeners of everything. */
export const LOCK_EVENT_TYPES: readonly LockEventType[] = [
  'contended',
  'acquired',
  'renewed',
  'lost',
  'released',
  'exported',
  'leaked',
  'orphan',
  'forced',
  'warning',
  'node',
];

/** Methods that a runtime must have; without one of them a lock would fail in the middle of its work. */
const RUNTIME_METHODS = [
  'now',
  'elapsedMs',
  'timer',
  'randomId',
  'random',
  'onCollected',
] as const satisfies readonly (keyof Runtime)[];

/** A host that accepts listeners; one per `Locks`. */
export interface ListenableHost extends Host {
  /** @throws InvalidOptionError for an unknown event, or a listener that is not a function */
  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void;
  /** Observes calls that lock; absent: nobody does. */
  readonly observe?: ObserveCall | undefined;
  /** Present if the locks are to know what the context of a caller holds. */
  readonly reentry?: Reentry | undefined;
}

/** Options of `createHost`. The listeners in `on` receive events from the opening on. */
export interface HostOptions {
  /** Clocks, timers and randomness; default: those of the system. */
  readonly runtime?: Runtime | undefined;
  /** Names the holder, for people; cut to 64 bytes. */
  readonly label?: string | undefined;
  /** Listeners by the type of event. */
  readonly on?: { readonly [T in LockEventType]?: LockListener<T> | undefined } | undefined;
}

type EventListener = (event: LockEvent) => unknown;

/**
 * Creates the host to which a backend and its locks report.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing', on: { lost: ({ key, reason }) => log(key, reason) } });
 * const locks = createLocks(await openMemory({}, host), host);
 * ```
 * @throws InvalidOptionError for an unknown option or event, or a listener that is not a function
 */
export function createHost(options: HostOptions = {}): ListenableHost {
  const { runtime = systemRuntime(), label = 'holdfast', on: initial = {} } = checkHost(options);
  const listeners = new Map<EventListener, LockEventType>();
  const counts = new Map<LockEventType, number>();
  const count = (type: LockEventType, by: 1 | -1): void => {
    counts.set(type, (counts.get(type) ?? 0) + by);
  };
  const hears = (type: LockEventType): boolean => (counts.get(type) ?? 0) > 0;
  const on = <T extends LockEventType>(type: T, listener: LockListener<T>): (() => void) => {
    checkListener(type, listener);
    const eventListener: EventListener = (event) =>
      isOfType(event, type) ? listener(event) : undefined;
    listeners.set(eventListener, type);
    count(type, 1);
    return () => {
      if (listeners.delete(eventListener)) count(type, -1);
    };
  };
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- T ties the listener to its type
  const onOption = <T extends LockEventType>(type: T): void => {
    const listener = initial[type];
    if (listener !== undefined) on(type, listener);
  };
  const failed = (event: LockEvent, how: string, cause: unknown): void => {
    // Not for listeners of warnings: a warning about a warning could repeat without end.
    if (event.type !== 'warning') emit(listenerWarning(event, how, cause));
  };
  const emit = (emitted: LockEvent): void => {
    if (!hears(emitted.type)) return;
    const event = withJson(emitted);
    for (const eventListener of listeners.keys()) {
      try {
        const result = eventListener(event);
        // Without a handler, the rejection of an async listener would end the process.
        if (result instanceof Promise)
          result.catch((cause) => failed(event, 'was rejected', cause));
      } catch (cause) {
        failed(event, 'threw', cause);
      }
    }
  };
  for (const type of LOCK_EVENT_TYPES) onOption(type);
  return { runtime, label: cleanLabel(label), emit, on, hears };
}

/** Rejects invalid options, and omits those that are undefined. */
function checkHost(options: unknown): HostOptions {
  const values = readNames(options, ['runtime', 'label', 'on'], {});
  const { runtime, label, on } = values;
  if (label !== undefined && typeof label !== 'string') throw typeError('label', 'string', label);
  if (runtime !== undefined) checkRuntime(runtime);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- listeners are checked as they are added, all else here
  return { ...values, on: readNames(on, LOCK_EVENT_TYPES, {}, 'event') } as HostOptions;
}

function checkRuntime(runtime: unknown): void {
  if (typeof runtime !== 'object' || runtime === null)
    throw typeError('runtime', 'Runtime', runtime);
  const missing = RUNTIME_METHODS.find((name) => typeof Reflect.get(runtime, name) !== 'function');
  if (missing !== undefined)
    throw new InvalidOptionError(`option runtime must be a Runtime, but it has no ${missing}()`);
}

function typeError(option: string, what: string, value: unknown): InvalidOptionError {
  return new InvalidOptionError(`option ${option} must be a ${what}, not ${shown(value)}`);
}

function checkListener(type: unknown, listener: unknown): void {
  if (!LOCK_EVENT_TYPES.some((each) => each === type)) {
    const name = typeof type === 'string' ? type : shown(type);
    throw new InvalidOptionError(unknownName('event', name, LOCK_EVENT_TYPES));
  }
  if (typeof listener !== 'function')
    throw new InvalidOptionError(
      `the listener of '${String(type)}' must be a function, not ${shown(listener)}`,
    );
}

function isOfType<T extends LockEventType>(event: LockEvent, type: T): event is LockEventOf<T> {
  return event.type === type;
}

function listenerWarning(event: LockEvent, how: string, cause: unknown): LockEvent {
  return {
    type: 'warning',
    backend: event.backend,
    code: 'LISTENER_THREW',
    message: `a listener of '${event.type}' ${how}`,
    cause,
  };
}

/**
 * Returns the event in a form that `JSON.stringify` can write: a token as decimal digits, since it may exceed what a
 * number holds, and an error by its name, message and code. Listeners see every field as it was.
 */
function withJson(event: LockEvent): LockEvent {
  const hasToken = 'fencingToken' in event && event.fencingToken !== undefined;
  const hasCause = 'cause' in event && event.cause !== undefined;
  if (!hasToken && !hasCause) return event;
  return Object.defineProperty({ ...event }, 'toJSON', { value: () => jsonOf(event) });
}

function jsonOf(event: object): object {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (!(value instanceof Error)) return shown(value);
  const { name, message } = value;
  const code = 'code' in value && typeof value.code === 'string' ? { code: value.code } : {};
  return { name, message, ...code };
}
