/** The lines between the laboratory and an adapter, the program of a lock in any language: docs/testing/external.md. */

/** The version of these lines. An adapter that speaks another is refused. */
export const PROTOCOL = 1;

/** The first line to an adapter. */
export interface Greeting {
  readonly protocol: number;
  /** Its name in requests to the resource. */
  readonly client: string;
  /** `host:port` of each server, as this client reaches it. */
  readonly servers: readonly string[];
  /** `host:port` of the resource. */
  readonly resource: string;
  readonly ttlMs: number;
}

/** The first line of an adapter. */
export interface Ready {
  readonly ready: number;
  /** The library and its version, for the report. */
  readonly name?: string;
  /** The options that it uses, and why those. */
  readonly options?: string;
}

/** What an adapter is asked to do. `hold` names one acquisition, and is passed on to the resource. */
export type Request =
  | { readonly do: 'acquire'; readonly key: string; readonly waitMs: number }
  | { readonly do: 'read'; readonly key: string; readonly hold: string }
  | { readonly do: 'check'; readonly key: string }
  | { readonly do: 'write'; readonly key: string; readonly hold: string; readonly check: boolean }
  | { readonly do: 'release'; readonly key: string }
  | { readonly do: 'clock' };

export interface Reply {
  readonly id: number;
  readonly ok: boolean;
  /** False, and it is unknown whether the request took effect. */
  readonly unknown?: boolean;
  /** Why not, for people. */
  readonly reason?: string;
  /** Of `clock`: milliseconds since 1970. */
  readonly wallMs?: number;
}

/** Returns the line as an object; undefined if it is none. */
export function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isReady(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value['ready'] === 'number';
}

export function readyOf(value: Readonly<Record<string, unknown>>): Ready {
  const { ready, name, options } = value;
  return {
    ready: Number(ready),
    ...(typeof name === 'string' && { name }),
    ...(typeof options === 'string' && { options }),
  };
}

/** Returns the reply; undefined if the line is none. */
export function replyOf(value: Readonly<Record<string, unknown>>): Reply | undefined {
  const { id, ok, unknown, reason, wallMs } = value;
  if (typeof id !== 'number' || typeof ok !== 'boolean') return undefined;
  return {
    id,
    ok,
    ...(unknown === true && { unknown }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof wallMs === 'number' && { wallMs }),
  };
}
