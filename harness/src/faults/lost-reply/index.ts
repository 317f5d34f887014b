import fc from 'fast-check';
import {
  client,
  doubtedOf,
  PLAIN,
  routeMasks,
  smallCount,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { FaultUnderTest } from '../../sim/schedule/fault.ts';
import { MASK, NTH } from '../../sim/schedule/fields.ts';
import type { Run } from '../../sim/schedule/run.ts';
import { isAt, MessageCounter, type OfMessage } from '../parts/messages.ts';
import { OVER } from '../parts/real.ts';

/** As a share of the ttl: several times within one. */
const AGAIN_SHARE = 1 / 6;
/**
 * Replies that pass before the lost one, in turn. A client that rests most of the time acquires next and releases after
 * that; without this, no release would lose its reply.
 */
const PASSES = [1, 2, 0];

export const lostReply: FaultUnderTest<OfMessage> = {
  id: 'lost-reply',
  meaning: 'a command is applied, but its reply is lost and the connection reset',
  reason: 'the reply to an executed command was lost',
  fields: { client: true, label: true, numbers: { nodes: MASK, n: NTH } },
  needs: 'servers',
  // The client resolves its doubt at another server, which may not have received the command.
  generation: { faultsMax: 3, laggingInSix: 5 },
  generate: (c) =>
    fc.record(
      {
        kind: fc.constant('lost-reply'),
        client,
        nodes: routeMasks(c),
        label: fc.constantFrom(...doubtedOf(c)),
        n: smallCount,
      },
      PLAIN,
    ),
  arm,
  text: ({ label }) => `reply to ${label} lost, connection reset`,
  real: ({ ttlMs }) => [
    {
      description: 'every client repeatedly loses a reply that it waits for, and its connection',
      steps: [
        {
          do: 'meanwhile',
          everyMs: ttlMs * AGAIN_SHARE,
          steps: PASSES.map((passes) => ({ do: 'loseReplies', after: passes })),
          again: true,
        },
        OVER,
        { do: 'heal', held: 'arrives' },
      ],
    },
  ],
};

/** The command is applied, but its reply is lost and the connection reset. */
function arm(run: Run, fault: OfMessage, index: number): void {
  const counts = new MessageCounter(run.labelsOf(fault.label), fault.n);
  run.cluster.network.rule((message) => {
    if (message.way !== 'reply' || message.to !== fault.client || run.areFaultsOver) return 'pass';
    if (!isAt(run, fault.nodes, message) || !counts.reach(message)) return 'pass';
    // The doubt lasts as long as the value that the command may have written.
    const injection = { kind: fault.kind, fault: index, actors: [fault.client, message.from] };
    run.injections.add(injection, run.schedule.ttlMs, () => run.isContended());
    return 'reset';
  });
}
