import type { Host } from '@holdfast/core';
import type { CrowdPacer } from './crowd-pacer.ts';
import type { Layout } from './keys.ts';
import type { Acl } from './port.ts';

/** What the parts of one opened backend share. */
export interface Store {
  readonly host: Host;
  readonly layout: Layout;
  /** Of all nodes that are made; undefined: anybody may do anything. */
  readonly acl: readonly Acl[] | undefined;
  /** Of all contenders. */
  readonly pacer: CrowdPacer;
  /** Called with the names in the container of `key` that are no contenders. */
  warnForeignNodes(key: string, names: readonly string[]): void;
}
