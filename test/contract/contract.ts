import { describeBackend } from '@holdfast/conformance/vitest';
import { afterAll, beforeAll, describe } from 'vitest';
import { BACKENDS, type Row } from '../backends.ts';

/** Holds every backend that plays there to its contract. */
export function describeContracts(where: Row['where']): void {
  const rows = BACKENDS.filter((row) => row.where === where).map((row) => [where, row] as const);
  describe.concurrent.each(rows)('on %s', (_, row) => {
    let started: Awaited<ReturnType<Row['start']>>;
    beforeAll(async () => {
      started = await row.start();
    });
    afterAll(() => started.close());

    describeBackend(row.name, () => started.subject());
  });
}
