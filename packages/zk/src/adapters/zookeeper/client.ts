/**
 * What we use of npm `zookeeper`, as structural types: its own leak into the global scope, and it need not be there to
 * compile against this package. Its callback API alone tells numbers instead of texts.
 */

export interface NativeStat {
  /** Exact up to 2^53, which is some two million elections. */
  readonly czxid: number;
  /** Hexadecimal, without padding. */
  readonly ephemeralOwner: string;
}

/** What a request is answered with, in this very turn of the C library. */
export type NativeCallback<Values extends readonly unknown[]> = (
  code: number,
  text: string,
  ...values: Values
) => void;

type OnPath = (client: unknown, path: string) => void;

/** Every `a_…` returns 0 and then calls back once, or returns another code and never calls back. */
export interface NativeClient {
  on(event: 'connect' | 'connecting', listener: () => void): unknown;
  on(event: 'close', listener: (client: unknown, code: number) => void): unknown;
  on(event: 'created' | 'deleted' | 'changed', listener: OnPath): unknown;
  init(config: object): unknown;
  /** Blocks the thread, for up to 1.5 s where the server does not answer. */
  close(): unknown;
  /** Hexadecimal, without padding. */
  readonly client_id: string;
  /** Negotiated, in ms. */
  readonly timeout: number;
  a_create(path: string, data: string, flags: number, reply: NativeCallback<[string]>): number;
  /** With `watch`, changes arrive as the events of the client. */
  a_exists(path: string, watch: boolean, reply: NativeCallback<[NativeStat | null]>): number;
  a_get(
    path: string,
    watch: boolean,
    reply: NativeCallback<[NativeStat | null, Uint8Array | null]>,
  ): number;
  a_get_children(path: string, watch: boolean, reply: NativeCallback<[string[] | null]>): number;
  a_set(path: string, data: string, version: number, reply: NativeCallback<[]>): number;
  a_delete_(path: string, version: number, reply: NativeCallback<[]>): number;
  a_sync(path: string, reply: NativeCallback<[]>): number;
}

export type NativeConstructor = new () => NativeClient;
