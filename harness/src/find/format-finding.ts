import { wrapped } from '../compare/table.ts';
import { drawText, OUTCOMES, type TextStyle } from '../draw/index.ts';
import type { Tally } from '../search/index.ts';
import { FAULTS, type Fault, type Op, type Story, storyToString } from '../simulator/index.ts';
import type { SearchFinding } from './find.ts';
import { namesFor } from './names.ts';
import { sceneOf } from './scene-of.ts';
import { extraSchedules, type SearchRequest } from './search-request.ts';

type Found = Extract<SearchFinding, { readonly kind: 'found' }>;

/** A finding for people, the verdict first; always the same for the same quest. */
export function formatFinding(
  finding: SearchFinding,
  quest: SearchRequest,
  path: string,
  ink: TextStyle,
): readonly string[] {
  switch (finding.kind) {
    case 'found':
      return [
        ...formatStory(finding, ink),
        '',
        ...howFound(finding, quest),
        ...formatReplay(finding.told.story, path),
      ];
    case 'none':
      return formatNone(finding, quest);
    case 'still':
    default:
      return formatHang(finding, path, ink);
  }
}

function formatStory({ told }: Found, ink: TextStyle): readonly string[] {
  return drawText(sceneOf(told.played, told.story), { ink }).split('\n');
}

function howFound({ n, told }: Found, quest: SearchRequest): readonly string[] {
  const lines = [`Found in schedule ${n} of seed ${quest.seed}, minimised in ${told.plays} runs.`];
  const isLesser =
    quest.property === undefined && !quest.fenced && told.story.property !== 'validity';
  if (isLesser) {
    const more = Math.min(extraSchedules(quest), quest.budget - n);
    lines.push(
      `${more} more schedules showed nothing worse; --property validity spends the whole budget on that.`,
    );
  }
  return lines;
}

/** How to see it again, from the file and from anywhere. */
export function formatReplay(story: Story, path: string): readonly string[] {
  return [
    `Replay  npx holdfast replay ${path}`,
    `        npx holdfast replay ${storyToString(story)}`,
  ];
}

/** No proof of absence: how rare it must be, and whether the faults mattered at all. */
function formatNone(
  { tally }: Extract<SearchFinding, { kind: 'none' }>,
  { faults, lock }: SearchRequest,
): readonly string[] {
  const { schedules, effective } = tally;
  const share = schedules === 0 ? 0 : Math.round((100 * effective) / schedules);
  const contended = faults.every((fault) => fault === 'none')
    ? 'one client held and another waited; no fault was asked for'
    : 'a fault struck while one client held and another waited';
  const lines = [
    `NOT FOUND: none in ${schedules}`,
    `${lock}, fault ${faults.join(' and ')}: at 95 % fewer than 3/${schedules} of such schedules show it.`,
    `In ${share} % of them ${contended}.`,
    ...formatSometimes(tally),
  ];
  if (effective === 0) lines.push('So nothing was put to the test: this proves nothing.');
  return lines;
}

/** Where none of these is among them, little can have gone wrong. */
function formatSometimes({ sometimes }: Tally): readonly string[] {
  const told = Object.entries(sometimes).map(([state, count]) => `${state} (${count})`);
  return told.length === 0 ? [] : wrapped(`Seen on the way: ${told.toSorted().join(', ')}.`, 0);
}

function formatHang(
  { message, story, plays }: Extract<SearchFinding, { kind: 'still' }>,
  path: string,
  ink: TextStyle,
): readonly string[] {
  const small =
    plays === 0
      ? 'As it was found: made smaller, it did not hang for so long.'
      : `Made small in ${plays} plays; its numbers are as they were found, since every try that hangs takes seconds.`;
  return [
    ...formatHangStory(story, ink),
    '',
    ...wrapped(`${message.replace(/^t/, 'T')}. ${small}`, 0),
    ...formatReplay(story, path),
  ];
}

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
