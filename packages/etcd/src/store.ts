import type { Host } from '@holdfast/core/backend';
import type { Layout } from './keys.ts';
import type { LeaseRevoker } from './lease-revoker.ts';
import type { EtcdClient } from './port.ts';
import type { RequestWindow } from './request-window.ts';
import type { Requests } from './requests.ts';

/** The parts of one opened backend share this. */
export interface Store {
  readonly host: Host;
  readonly layout: Layout;
  readonly client: EtcdClient;
  readonly requests: Requests;
  /** For contenders; proofs, releases and revocations bypass it. */
  readonly window: RequestWindow;
  readonly revoker: LeaseRevoker;
  /** Warns once of each ttl that the servers lengthened. */
  warnLongerTtl(requestedMs: number, grantedMs: number): void;
}
