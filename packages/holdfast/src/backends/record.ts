import type { Backend, Capabilities, Host } from '@holdfast/core';
import type * as v from 'valibot';
import type { NamedConfig } from '../config/types.ts';

/** A backend that has been loaded and not opened yet. */
export interface BackendModule<C extends NamedConfig> {
  /** Where the module says them, requirements are checked before anything connects. */
  readonly capabilities?: Capabilities | undefined;
  /** What a module from outside says that it needs, for the simulator; not checked yet. */
  readonly deployment?: unknown;
  /** `config` has been checked for this backend. */
  open(config: C, host: Host): Promise<Backend>;
}

/** Complains of a configuration. */
export type Reject = (message: string) => never;

/** A scheme of URLs, as it is shown: `redis://`. */
export interface Scheme {
  readonly shown: string;
  /**
   * The configuration that a URL stands for, not checked yet.
   * @param rest what follows the colon
   * @throws ConfigError for what could not be said of a configuration
   */
  config(url: string, rest: string): object;
}

/** A backend that comes with this package: how it is named, configured and opened. */
export interface BackendRecord<C extends NamedConfig> {
  readonly name: string;
  readonly schemes: Readonly<Record<string, Scheme>>;
  readonly schema: v.GenericSchema<C>;
  /** What of it a file can say, where that is less: JSON holds no client. */
  readonly fileSchema?: v.GenericSchema<C>;
  /** Options that are left out on purpose, and why. */
  readonly omitted?: Readonly<Record<string, string>>;
  /** What one option says and another gainsays; asked once each is as it must be. */
  check?(config: C, say: Reject): void;
  /** Nothing is loaded that is not used. */
  load(): Promise<BackendModule<C>>;
}
