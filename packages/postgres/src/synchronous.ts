import type { LockError } from '@holdfast/core';
import { refusalError } from './failures.ts';
import type { Row } from './port.ts';
import type { Store } from './store.ts';

/**
 * Returns the reason why nothing was granted on a server without synchronous standbys, if `synchronous` asks for them. Every
 * statement that grants checks it, because an administrator may change it at any time.
 */
export function checkSynchronous(
  { isSynchronous }: Pick<Store, 'isSynchronous'>,
  row: Row,
  key: string,
): LockError | undefined {
  if (!isSynchronous || row['is_synchronous'] === 'true') return undefined;
  const why =
    'cannot be locked: "synchronous" needs synchronous_standby_names on the server, and it is empty';
  return refusalError({ code: 'CONFIG', why }, key);
}
