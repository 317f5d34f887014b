import { fileURLToPath } from 'node:url';
import type { FaultId } from '@holdfast/core';
import { drawText, OUTCOMES, type OutcomeId } from '@holdfast/harness/draw';
import { meaningOfFault, storyToString } from '@holdfast/harness/simulator';
import { sceneOf } from '../../harness/test/kit/find.ts';
import { OUTLASTING_SHARE } from './bench.ts';
import { cellAt } from './campaign.ts';
import { COLUMNS } from './columns.ts';
import { EXPERIMENTS, searched } from './experiments.ts';
import { type Cell, EXTENT, FAULTS, type Found, fencedOutcomeOf, outcomeOf } from './found.ts';
import type { ReplayedStory } from './found-stories.ts';
import { LIBRARIES } from './libraries/index.ts';
import { LIVENESS_FAULTS, type Waited } from './liveness.ts';
import type { PeerLibrary } from './peer.ts';
import { versionOf } from './versions.ts';

/** The least telling lines of longer timelines are left out. */
const LINES = 14;
/** Some operations did not come to their end. */
const NO_END = '†';
const MEDDLED = '‡';
/** Cautious words of this page: these are not our own locks, and the schedules are fewer. */
const MEANINGS: Partial<Record<OutcomeId, string>> = {
  holds: 'not seen in so many schedules',
};

export const PAGE_FILE: string = fileURLToPath(
  new URL('../../docs/evidence/other-libraries.md', import.meta.url),
);

/** `docs/evidence/other-libraries.md`, from what was found and from the stories, played again. */
export async function peersPage(found: Found, told: readonly ReplayedStory[]): Promise<string> {
  const parts = [
    introduction(),
    table(found),
    legend(),
    '## When the faults are over',
    aftermath(found),
    '## How they were run',
    how(),
    librariesTable(),
    ...LIBRARIES.map((library) => chapter(library, found, told)),
    '## What was known before',
    await known(found),
  ];
  return `${parts.join('\n\n')}\n`;
}

function introduction(): string {
  const { few, seed } = EXTENT;
  return `# Published lock libraries on the same bench

<!-- Made from test/peers; see the last lines of this introduction. -->

Four published packages that lock on Redis, in six ways of using them, played by the schedules that our own locks are played by and judged by the same judges. Each is used as its documentation shows, with its own settings, and is judged by what it promises itself; what that is stands [below](#how-they-were-run). The code of the libraries and of their clients is unmodified: the clients are the real ones, with their default options, and only the sockets, clocks, timers and random numbers below them are simulated.

Nobody should choose a lock by the number of glyphs. Most of these libraries do not claim to withstand most of these faults; some of the faults no lock on Redis withstands, ours included. What the table shows is which faults cost which promise, so that a caller knows what to guard against.

A cell is so many schedules from seed ${seed} as stands beside its ✓ or ◐: leases of one second, three clients, one or two faults of the kind. Where two have held validly within the first ${few} it is played no further. A ✓ says “not seen in so many”, and no more: none in 100 bounds the rate, at 95 %, below 3 in a hundred such schedules.

\`npx vitest run --project deep test/deep/peers.test.ts -u\` plays it all, writes down what came of it in \`test/peers/found\`, and makes this page of that; \`npx vitest run --project properties test/peers/peers.test.ts\`, part of \`npm test\`, plays a part, and fails where that contradicts what was written down, or where this page is not what it comes to.`;
}

function table(found: Found): string {
  const names = COLUMNS.map(({ name }) => name);
  const rows = FAULTS.map((fault) => [
    `\`${fault}\` ${meaningOfFault(fault)}`,
    ...names.map((name) => glyphs(cellAt(found.cells, fault, name))),
  ]);
  return markdown(['fault', ...names], rows);
}

function glyphs(cell: Cell): string {
  const column = COLUMNS.find(({ name }) => name === cell.column);
  const fenced = column?.subject.tokens === true ? ` ${OUTCOMES[fencedOutcomeOf(cell)].glyph}` : '';
  const end = cell.violated['liveness'] === undefined ? '' : ` ${NO_END}`;
  const beyond = cell.violated['ownership'] === undefined ? '' : ` ${MEDDLED}`;
  const outcome = outcomeOf(cell);
  const many = outcome === 'holds' || outcome === 'late' ? ` ${cell.schedules}` : '';
  return `${OUTCOMES[outcome].glyph}${fenced}${many}${end}${beyond}`;
}

function legend(): string {
  const entries: readonly OutcomeId[] = ['holds', 'late', 'breaks', 'inert', 'nothing'];
  const told = entries.map((id) => `${OUTCOMES[id].glyph} ${MEANINGS[id] ?? OUTCOMES[id].meaning}`);
  return `${told.join(' · ')} · ${NO_END} a process ended, or waited for ever · ${MEDDLED} a renewal or a release changed the hold of another\n\nTwo glyphs: the lock, and a resource that compares its fencing tokens. One glyph: it has no tokens. Ours are played by as many schedules in all, or more, which they take from those of every library on as many nodes.

Under \`client-clock\` as many again are played in which work takes up to ${OUTLASTING_SHARE} times as long as the lease: a clock that is wrong makes a lease too long, and whoever is done before its end cannot show it. In those nobody is called late, since a caller that is told of no loss would be so without any fault.`;
}

/** The waits that they cause, judged as ours are. */
function aftermath({ waited }: Found): string {
  const names = COLUMNS.map(({ name }) => name);
  const at = (fault: FaultId, column: string): Waited | undefined =>
    waited.find((each) => each.fault === fault && each.column === column);
  const rows = LIVENESS_FAULTS.map((fault) => [
    `\`${fault}\``,
    ...names.map((name) => {
      const each = at(fault, name);
      return each === undefined ? 'not played' : `${each.times} of ${each.schedules}`;
    }),
  ]);
  const examples = names.flatMap((name) => {
    const first = LIVENESS_FAULTS.map((fault) => at(fault, name)).find((each) => each?.message);
    if (first === undefined) return [];
    return [`- ${name}, \`${first.fault}\`, schedule ${first.first}: ${first.message}`];
  });
  return `Here somebody healthy waits beside a key that nobody holds, once the faults have passed. As in the trials of our own locks, fewer than half of the nodes, and perhaps one client, stay broken for good: dead, standing still, cut off or slow. Everybody else then has to get the key, and to hand it over, within bounds. Ours are in \`harness/src/locks\`; those of the libraries, in \`test/peers/subject.ts\`, are made of their own retries, the clients’ limits for dialling, and what is left of a ttl, by the same reckoning. In how many schedules somebody waited for longer:

${markdown(['fault', ...names], rows)}

The first of each:

${examples.join('\n')}

Two things may come together here, which these schedules do not tell apart. The clients have no time limit for a command, so that a library that waits for every node waits for one that will never answer. And here all messages take equally long: contenders that split the votes, and come back after equal times, stay in step. What is left behind at the end (connections, timers, subscriptions) is not judged here, since clients keep some of their own.`;
}

function how(): string {
  const clients = `ioredis ${versionOf('ioredis')} and node-redis ${versionOf('redis')}`;
  return `- **Clients**: ${clients}, unmodified, with their default options, since none of the four READMEs asks for others (two scenes at the end of this page do, and say so): commands wait in a queue while there is no connection. ioredis sends again what was not answered before a connection was lost; node-redis rejects it. Neither has a time limit for a command that was sent. Verrou names ioredis 5 as its peer; it uses three commands, which are the same in version 6.
- **Time**: a lease lasts one second, because schedules are short. Settings that a library gives in milliseconds were kept, or shortened in proportion where they would be longer than that; the table says which.
- **The caller** does what the documentation shows. It asks, right before it writes, whatever the library offers to ask (\`isAcquired\`, \`signal.aborted\`, \`isExpired()\`, \`expiration\`), stops as soon as it is told of a loss, hears \`error\` events, and asks again 100 ms after an acquisition was rejected.
- **Validity** is judged by the promise in the table. Where a library tells a deadline, that is when its word ends; where it only says “still held”, its word ends when it says otherwise.
- **Out of scope**: Redis Cluster, Sentinel, semaphores, stores other than Redis.`;
}

function librariesTable(): string {
  const rows = LIBRARIES.map((library) => [
    library.name,
    `${library.package} ${library.version} on ${library.client}`,
    `${library.nodes}`,
    library.usage,
    library.promise,
  ]);
  return markdown(['name', 'package', 'nodes', 'used as', 'judged by'], rows);
}

function chapter(library: PeerLibrary, found: Found, told: readonly ReplayedStory[]): string {
  const { name, version, says } = library;
  const cells = FAULTS.map((fault) => cellAt(found.cells, fault, name));
  const own = told.filter((each) => each.tale.column === name);
  return [
    `## ${name} (${library.package} ${version})`,
    `What it says of itself: ${says}`,
    notSeen(cells),
    ...own.map(tale),
  ].join('\n\n');
}

function notSeen(cells: readonly Cell[]): string {
  const by = (outcome: OutcomeId): string =>
    listed(cells.filter((cell) => outcomeOf(cell) === outcome).map(({ fault }) => fault));
  const tokens = cells.filter(({ violated }) => violated['fenced'] !== undefined);
  const ends = cells.flatMap(({ fault, violated: { liveness } }) =>
    liveness === undefined ? [] : [`\`${fault}\` (${liveness.message.replace(/ at \d.*?ms/, '')})`],
  );
  return [
    `- nothing seen, in as many schedules as the table says, under ${by('holds')}`,
    `- late holders, and nothing worse in as many, under ${by('late')}`,
    `- two held by its promise under ${by('breaks')}`,
    ...(tokens.length === 0
      ? []
      : [`- its tokens failed under ${listed(tokens.map(({ fault }) => fault))}`]),
    ...(ends.length === 0 ? [] : [`- did not come to its end under ${ends.join(', ')}`]),
    ...beyondOwn(cells),
    ...proportions(cells),
  ].join('\n');
}

/** Cells in which an operation changed a hold it was not sent for; the first, in full. */
function beyondOwn(cells: readonly Cell[]): readonly string[] {
  const meddled = cells.filter(({ violated }) => violated['ownership'] !== undefined);
  const [first] = meddled;
  if (first === undefined) return [];
  const faults = meddled.map(({ fault }) => `\`${fault}\``).join(', ');
  const message = first.violated['ownership']?.message;
  return [
    `- reached beyond its own hold under ${faults}; first, under \`${first.fault}\`: ${message}`,
  ];
}

/** Cells in which much of the work was given up without a fault. */
function proportions(cells: readonly Cell[]): readonly string[] {
  const undisturbed = cells.find(({ fault }) => fault === 'none');
  if (undisturbed === undefined || undisturbed.accepted === undisturbed.ops) return [];
  const { accepted, ops } = undisturbed;
  return [
    `- without any fault, ${accepted} of ${ops} updates were made: in the others the caller was told before its write that the lease was over`,
  ];
}

function tale({ tale: point, story, played, violation, ours }: ReplayedStory): string {
  const runs = Object.values(point.runs);
  const soon = ` Found by search after ${runs.join(', ')} schedules from seeds 1 to ${runs.length}.`;
  const scene = sceneOf(played, story, `${point.column}, fault ${point.fault}`);
  const verdict = scene.verdicts.find(({ kind }) => kind === 'violated')?.message;
  return `### ${point.column}: ${point.fault}

${sentence(verdict ?? violation.message)}.${soon} The same schedule on ${ours.name}: ${ours.story.expect.kind === 'ok' ? 'no such thing' : 'the same'}.

\`\`\`text
${drawText(scene, { lines: LINES })}
\`\`\`

The story is kept in \`test/peers/stories\`. On ${ours.name}: \`npx holdfast replay\` with

\`\`\`text
${storyToString(ours.story)}
\`\`\``;
}

async function known(found: Found): Promise<string> {
  const rows: string[][] = [];
  for (const experiment of EXPERIMENTS) {
    const { id, what, directed, why } = experiment;
    const shown = directed === undefined ? `not shown: ${why}` : await directed();
    rows.push([id, what, searched(experiment, found), shown]);
  }
  return `What reading and single runs on a real server had shown before (\`E1\` to \`E11\`), and how the simulator shows it. “Search”: in how many of the generated schedules of a cell a holder is wronged by it, and the first. “Directed”: a scene written for it, \`test/peers/known-defects.ts\`, played anew whenever this page is made.

${markdown(['item', 'what was known', 'search', 'directed'], rows)}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function listed(faults: readonly FaultId[]): string {
  return faults.length === 0 ? 'none of them' : faults.map((fault) => `\`${fault}\``).join(', ');
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
