import { assertRule } from '../breach.ts';
import { mustRenewInTime } from '../held.ts';
import type { BackendUnderTest, Check } from '../subject.ts';

const perCallTtl = ({ capabilities }: BackendUnderTest): string | undefined =>
  capabilities.lease === 'session' ? 'a session has one timeout for all its leases' : undefined;

/** The effect of a renewal on the ttl. */
export const renewal: readonly Check[] = [
  {
    name: 'a renewed lease outlives its first ttl',
    needs: perCallTtl,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.acquire(key, stage.shortMs);

      await mustRenewInTime(a, grant, grant.validity, stage.longMs);
      await stage.sleep(2 * stage.shortMs);

      await b.mustFindBusy(key, stage.longMs, 'the lease was renewed');
    },
  },
  {
    name: 'a renewal by a shorter ttl does not shorten the hold',
    needs: perCallTtl,
    async run(stage) {
      const [a, b] = await stage.actors('a', 'b');
      const key = stage.key();
      const grant = await a.acquire(key, stage.longMs);

      const outcome = await a.renew(grant, stage.shortMs);
      assertRule(outcome.kind === 'renewed', `a renewal in time returned '${outcome.kind}'`);
      await stage.sleep(2 * stage.shortMs);

      await b.mustFindBusy(key, stage.longMs, 'it was held for longer than the renewal requested');
    },
  },
];
