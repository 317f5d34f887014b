import fc from 'fast-check';
import { client, PLAIN, routeMasks, smallCount } from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { MASK, NTH } from '../../sim/schedule/fields.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { ClientField, NodesField } from '../parts/elements.ts';
import { isAt, MessageCounter } from '../parts/messages.ts';

type LostWakeUp = ClientField & NodesField & { readonly n: number };

export const lostWakeUp: FaultUnderTest<LostWakeUp> = {
  id: 'lost-wakeup',
  meaning: 'a notification never arrives',
  reason: 'a notification never arrived',
  fields: { client: true, numbers: { nodes: MASK, n: NTH } },
  needs: 'servers',
  silences: true,
  generate: (c) =>
    fc.record(
      { kind: fc.constant('lost-wakeup'), client, nodes: routeMasks(c), n: smallCount },
      PLAIN,
    ),
  arm,
  text: () => 'a notification is lost',
  real: ({ lock }) =>
    lock?.notifiedOn === undefined
      ? { unplayable: 'there are no notifications: waiters poll' }
      : [
          {
            description:
              'the connection that would carry the waiter’s notification goes silent, and the holder leaves',
            steps: [
              { do: 'silence', client: 'waiter' },
              { do: 'leave' },
              { do: 'hold', until: 'served' },
              { do: 'heal', held: 'lost' },
            ],
          },
        ],
};

/** The connection that should carry the notification goes silent. */
function arm(run: Run, fault: LostWakeUp, index: number): void {
  const counts = new MessageCounter(undefined, fault.n);
  run.cluster.network.rule((message) => {
    if (message.way !== 'push' || message.to !== fault.client || run.areFaultsOver) return 'pass';
    if (!isAt(run, fault.nodes, message) || !counts.reach(message)) return 'pass';
    const waits = (run.clients.get(fault.client)?.waiting ?? 0) > 0;
    const injection = { kind: fault.kind, fault: index, actors: [fault.client] };
    // The publisher has just held the lock.
    run.injections.add(injection, 0, () => waits);
    return 'drop';
  });
}
