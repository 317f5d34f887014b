import { wrapped } from '../compare/table.ts';
import { drawText, OUTCOMES, type TextStyle } from '../draw/index.ts';
import type { Tally } from '../search/index.ts';
import { FAULTS, type Fault, type Op, type Story, storyToString } from '../simulator/index.ts';
import type { SearchFinding } from './find.ts';
import { namesFor } from './names.ts';
import { sceneOf } from './scene-of.ts';
import { extraSchedules, type SearchRequest } from './search-request.ts';

type Found = Extract<SearchFinding, { readonly kind: 'found' }>;

/** A finding as text, the verdict first; equal for equal requests. */
export function formatFinding(
  finding: SearchFinding,
  request: SearchRequest,
  path: string,
  ink: TextStyle,
): readonly string[] {
  switch (finding.kind) {
    case 'found':
      return [
        ...formatStory(finding, ink),
        '',
        ...howFound(finding, request),
        ...formatReplay(finding.traced.story, path),
      ];
    case 'none':
      return formatNone(finding, request);
    case 'hang':
    default:
      return formatHang(finding, path, ink);
  }
}

function formatStory({ traced }: Found, ink: TextStyle): readonly string[] {
  return drawText(sceneOf(traced.played, traced.story), { ink }).split('\n');
}

function howFound({ n, traced }: Found, request: SearchRequest): readonly string[] {
  const lines = [
    `Found in schedule ${n} of seed ${request.seed}, minimised in ${traced.plays} runs.`,
  ];
  const isSecondary =
    request.property === undefined && !request.fenced && traced.story.property !== 'validity';
  if (isSecondary) {
    const more = Math.min(extraSchedules(request), request.budget - n);
    lines.push(
      `${more} more schedules showed nothing worse; --property validity spends the whole budget on that.`,
    );
  }
  return lines;
}

/** The commands that replay a story, from its file and from anywhere. */
export function formatReplay(story: Story, path: string): readonly string[] {
  return [
    `Replay  npx holdfast replay ${path}`,
    `        npx holdfast replay ${storyToString(story)}`,
  ];
}

/** A search without a hit: an upper bound of the rate, and the share of schedules in which the faults mattered. */
function formatNone(
  { tally }: Extract<SearchFinding, { kind: 'none' }>,
  { faults, lock }: SearchRequest,
): readonly string[] {
  const { schedules, effective } = tally;
  const share = schedules === 0 ? 0 : Math.round((100 * effective) / schedules);
  const contended = faults.every((fault) => fault === 'none')
    ? 'one client held and another waited; no fault was requested'
    : 'a fault took effect while one client held and another waited';
  const lines = [
    `NOT FOUND: none in ${schedules}`,
    `${lock}, fault ${faults.join(' and ')}: at 95 % fewer than 3/${schedules} of such schedules show it.`,
    `In ${share} % of them ${contended}.`,
    ...formatSometimes(tally),
  ];
  if (effective === 0) lines.push('So nothing was tested: this proves nothing.');
  return lines;
}

/** The rare states that the schedules reached. */
function formatSometimes({ sometimes }: Tally): readonly string[] {
  const states = Object.entries(sometimes).map(([state, count]) => `${state} (${count})`);
  return states.length === 0 ? [] : wrapped(`States reached: ${states.toSorted().join(', ')}.`, 0);
}

function formatHang(
  { message, story, plays }: Extract<SearchFinding, { kind: 'hang' }>,
  path: string,
  ink: TextStyle,
): readonly string[] {
  const minimised =
    plays === 0
      ? 'Not minimised: smaller schedules did not hang as long.'
      : `Minimised in ${plays} runs; its numbers are as found, because every run that hangs takes seconds.`;
  return [
    ...formatHangStory(story, ink),
    '',
    ...wrapped(`${message.replace(/^t/, 'T')}. ${minimised}`, 0),
    ...formatReplay(story, path),
  ];
}

/** The headline of a lock that hung. */
export const HANG_HEADLINE: string = 'LOCK STUCK: its code never yields';

/** A story without a trace, as text: the requests for the key, and the faults. */
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
