import type { Backend, Capabilities, Host } from '@holdfast/core';
import type { Config } from '../config/types.ts';

/** A backend that has been loaded and not opened yet. */
export interface BackendModule {
  /** Where the module says them, requirements are checked before anything connects. */
  readonly capabilities?: Capabilities | undefined;
  /** `config` has been checked for this backend. */
  readonly open: (config: Config, host: Host) => Promise<Backend>;
}
