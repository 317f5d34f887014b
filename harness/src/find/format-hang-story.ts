import { wrapped } from '../compare/table.ts';
import { OUTCOMES, type TextStyle } from '../draw/index.ts';
import { FAULTS, type Fault, type Op, type Story } from '../simulator/index.ts';
import { namesFor } from './names.ts';

/** What is said of a lock that had to be ended. */
export const HANG_HEADLINE: string = 'LOCK STUCK: its code never yields';

/** A story without a trace: who asks for the key when, and what goes wrong meanwhile. */
export function formatHangStory(
  { backend, fault, schedule }: Story,
  ink: TextStyle,
): readonly string[] {
  const { glyph, colour } = OUTCOMES.breaks;
  const names = namesFor(schedule);
  return [
    ink.bold(ink.colour(colour, HANG_HEADLINE)),
    ink.dim(`${glyph} ${backend}, fault ${fault}`),
    '',
    ...schedule.ops.toSorted((a, b) => a.atMs - b.atMs).map((op) => `  ${opText(op, names)}`),
    ...schedule.faults.map((each) => `  ${faultText(each, names)}`),
    '',
    ...wrapped(
      'Its code then loops without waiting, perhaps on something that always completes at once. Neither a simulation nor a service can continue, so there is no timeline.',
      0,
    ),
  ];
}

function opText({ client, atMs, holdMs, renews }: Op, names: (id: string) => string): string {
  const lease = renews ? 'renewed' : 'a fixed lease';
  return `at ${atMs} ms ${names(client)} requests k, to work for ${holdMs} ms, ${lease}`;
}

function faultText(fault: Fault, names: (id: string) => string): string {
  const who = fault.client === undefined ? '' : `${names(fault.client)}: `;
  return `↯ ${fault.kind}: ${who}${FAULTS.get(fault.kind).text(fault, { isEnsemble: false })}`;
}
