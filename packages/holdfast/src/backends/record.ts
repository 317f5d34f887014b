import type { Backend, Capabilities, Host } from '@holdfast/core/backend';
import type * as v from 'valibot';
import type { NamedConfig } from '../config/types.ts';
import type { Config } from './built-in.ts';

/** A backend that has been loaded and not opened yet. */
export interface BackendModule<C extends NamedConfig> {
  /** If given, requirements are checked before anything connects. */
  readonly capabilities?: Capabilities | undefined;
  /** The servers that an imported module needs in the simulator; not checked yet. */
  readonly deployment?: unknown;
  /** `config` has been checked for this backend; `openPart` opens a configuration within it. */
  open(config: C, host: Host, openPart: OpenPart): Promise<Backend>;
}

export type OpenPart = (part: Config) => Promise<Backend>;

/** Rejects a configuration. */
export type Reject = (message: string) => never;

/** A scheme of URLs, as it is shown: `redis://`. */
export interface Scheme {
  readonly shown: string;
  /**
   * Converts a URL to a configuration, not checked yet.
   * @param rest the text after the colon
   * @throws ConfigError for an error that the check of the configuration could not report
   */
  config(url: string, rest: string): object;
}

/** A backend of this package: its name, its URLs, its configuration, and the code that opens it. */
export interface BackendRecord<C extends NamedConfig> {
  readonly name: string;
  readonly schemes: Readonly<Record<string, Scheme>>;
  readonly schema: v.GenericSchema<C>;
  /** The schema of a file, if it differs: JSON cannot contain a client. */
  readonly fileSchema?: v.GenericSchema<C>;
  /** Options that are omitted on purpose, with the reason. */
  readonly omitted?: Readonly<Record<string, string>>;
  /** True if it keeps out callers of this process alone. */
  readonly isLocal?: true;
  /** The options that are configurations themselves, and are checked as such. */
  readonly parts?: readonly string[];
  /**
   * Checks contradictions between options, after each option has been checked alone. Of a backend that is not built in,
   * the capabilities are not known yet.
   */
  check?(config: C, reject: Reject, isBuiltIn: (backend: string) => boolean): void;
  /** Returns the SQL that creates the tables, if the store needs some. Rejects with an InvalidOptionError for a bad name. */
  migration?(schema: string | undefined): Promise<string>;
  /** Loads the recipe, only when it is used; what it promises may depend on its options. */
  load(config: C): Promise<BackendModule<C>>;
}
