import type { LockEvent, LockEventOf, LockEventType } from './events.ts';
import { cleanLabel } from './owner.ts';
import type { Host } from './port.ts';
import { type Runtime, systemRuntime } from './runtime.ts';

type Listener = (event: LockEvent) => void;

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
  const listeners = new Map<LockEventType, Set<Listener>>();
  const on = (type: LockEventType, listener: Listener): (() => void) => {
    const known = listeners.get(type) ?? new Set();
    listeners.set(type, known.add(listener));
    return () => void known.delete(listener);
  };
  const emit = (event: LockEvent): void => {
    for (const listener of listeners.get(event.type) ?? []) {
      try {
        listener(event);
      } catch (cause) {
        // Told once, and not about listeners of warnings, which could go on for ever.
        if (event.type !== 'warning') emit(listenerThrew(event, cause));
      }
    }
  };
  for (const [type, listener] of Object.entries(options.on ?? {})) {
    on(type as LockEventType, listener as Listener);
  }
  return {
    runtime: options.runtime ?? systemRuntime(),
    label: cleanLabel(options.label ?? 'holdfast'),
    emit,
    on: on as ListenableHost['on'],
  };
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
