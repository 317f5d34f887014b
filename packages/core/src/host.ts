import type { LockEvent, LockEventOf, LockEventType } from './events.ts';
import { cleanLabel } from './owner.ts';
import type { Host } from './port.ts';
import { type Runtime, systemRuntime } from './runtime.ts';

/** All types of event, for who wants to hear everything. */
export const LOCK_EVENT_TYPES: readonly LockEventType[] = [
  'contended',
  'acquired',
  'renewed',
  'lost',
  'released',
  'leaked',
  'orphan',
  'forced',
  'warning',
  'node',
];

/** A host whose events can be listened to; one per `Locks`. */
export interface ListenableHost extends Host {
  on<T extends LockEventType>(type: T, listener: (event: LockEventOf<T>) => void): () => void;
}

/** What `createHost` takes; `on` hears events from the opening on. */
export interface HostOptions {
  readonly runtime?: Runtime;
  /** Who holds, for people; cut to 64 bytes. */
  readonly label?: string;
  readonly on?: { readonly [T in LockEventType]?: (event: LockEventOf<T>) => void };
}

/** The place where a backend and its locks report; a listener that throws disturbs neither of them. */
export function createHost(options: HostOptions = {}): ListenableHost {
  const listeners = new Set<(event: LockEvent) => void>();
  const on = <T extends LockEventType>(
    type: T,
    listener: (event: LockEventOf<T>) => void,
  ): (() => void) => {
    const hear = (event: LockEvent): void => {
      if (isOfType(event, type)) listener(event);
    };
    listeners.add(hear);
    return () => void listeners.delete(hear);
  };
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- T ties the listener to its type
  const onGiven = <T extends LockEventType>(type: T): void => {
    const listener = options.on?.[type];
    if (listener !== undefined) on(type, listener);
  };
  const emit = (event: LockEvent): void => {
    for (const hear of listeners) {
      try {
        hear(event);
      } catch (cause) {
        // Told once, and not about listeners of warnings, which could go on for ever.
        if (event.type !== 'warning') emit(listenerThrew(event, cause));
      }
    }
  };
  for (const type of LOCK_EVENT_TYPES) onGiven(type);
  const { runtime = systemRuntime(), label = 'holdfast' } = options;
  return { runtime, label: cleanLabel(label), emit, on };
}

function isOfType<T extends LockEventType>(event: LockEvent, type: T): event is LockEventOf<T> {
  return event.type === type;
}

function listenerThrew(event: LockEvent, cause: unknown): LockEvent {
  return {
    type: 'warning',
    backend: event.backend,
    code: 'LISTENER_THREW',
    message: `a listener of '${event.type}' threw`,
    cause,
  };
}
