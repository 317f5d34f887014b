import { fileURLToPath } from 'node:url';
import type { FaultId } from '@holdfast/core/backend';
import { drawText, OUTCOMES, type OutcomeId } from '@holdfast/harness/draw';
import { FAULT_IDS, meaningOfFault, storyToString } from '@holdfast/harness/simulator';
import { sceneOf } from '../../harness/test/kit/find.ts';
import { OUTLASTING_SHARE } from './bench.ts';
import { cellAt } from './campaign.ts';
import { COLUMNS } from './columns.ts';
import { EXPERIMENTS, searched } from './experiments.ts';
import { type Cell, EXTENT, FAULTS, type Found, fencedOutcomeOf, outcomeOf } from './found.ts';
import type { ReplayedStory } from './found-stories.ts';
import { type Recorded, readRecords } from './laboratory.ts';
import { laboratoryPart, onlyReal, realGlyphs, speedPart } from './laboratory-page.ts';
import { LIBRARIES } from './libraries/index.ts';
import { LIVENESS_FAULTS, type Waited } from './liveness.ts';
import { markdown } from './markdown.ts';
import type { PeerLibrary } from './peer.ts';
import { readSpeed } from './speed.ts';
import { versionOf } from './versions.ts';

/** The least telling lines of longer timelines are left out. */
const LINES = 14;
/** Marks cells in which some operations did not end. */
const NO_END = '†';
const OWNERSHIP = '‡';
/** Cautious words of this page: these are not our own locks, and the schedules are fewer. */
const MEANINGS: Partial<Record<OutcomeId, string>> = {
  holds: 'not seen in that many schedules',
};

export const PAGE_FILE: string = fileURLToPath(
  new URL('../../docs/evidence/other-libraries.md', import.meta.url),
);

/** `docs/evidence/other-libraries.md`, from what was found and from the stories, played again. */
export async function peersPage(found: Found, stories: readonly ReplayedStory[]): Promise<string> {
  const records = readRecords();
  const speed = readSpeed();
  const parts = [
    introduction(),
    table(found, records),
    legend(),
    laboratoryPart(records, (fault, name) => outcomeInSimulator(found, fault, name)),
    ...(speed === undefined ? [] : [speedPart(speed)]),
    '## When the faults are over',
    aftermath(found),
    '## How they were run',
    how(),
    librariesTable(),
    ...LIBRARIES.map((library) => chapter(library, found, stories)),
    '## What was known before',
    await known(found),
  ];
  return `${parts.join('\n\n')}\n`;
}

function introduction(): string {
  const { few, seed } = EXTENT;
  return `# Published lock libraries on the same bench

<!-- Made from test/peers; see the last lines of this introduction. -->

Published libraries of Node, Python and Java. In the simulator, four packages that lock on Redis, used in six ways, play the schedules of our own locks. [On real servers](#on-real-servers), six libraries go through the faults of the lab. Each is used as its documentation shows. In the simulator it is judged by [its own promise](#how-they-were-run). The code of the libraries and of their clients is unmodified: the clients are the real ones, with their default options. In the simulator, only the sockets, clocks, timers and random numbers below them are simulated.

Do not choose a lock by the number of glyphs. Most of these libraries do not claim to withstand most of these faults, and some faults no lock on Redis withstands, ours included. The table shows which faults break which promise, so a caller knows what to guard against.

Left of a slash, or without one, is the simulator, right of it the lab with the trials that lost an update, as 3/3. The number beside ✓ or ◐ is the number of schedules of a cell, from seed ${seed}: leases of one second, three clients, one or two faults of the kind. A cell ends after ${few} schedules if two clients have held validly at once by then. A ✓ says only “not seen in that many”: none in 100 bounds the rate, at 95 %, below 3 in a hundred such schedules.

\`npx vitest run --project deep test/deep/peers.test.ts -u\` plays it all, keeps the results in \`test/peers/found\`, and writes this page from them. \`npx vitest run --project properties test/peers/peers.test.ts\`, part of \`npm test\`, plays a part. It fails if that contradicts the kept results, or if this page is out of date.`;
}

function table(found: Found, records: readonly Recorded[]): string {
  const names = COLUMNS.map(({ name }) => name);
  const others = onlyReal(names);
  const rows = FAULT_IDS.map((fault) => [
    `\`${fault}\` ${meaningOfFault(fault)}`,
    ...names.map((name) =>
      both(
        FAULTS.includes(fault) ? glyphs(cellAt(found.cells, fault, name)) : '',
        realGlyphs(records, fault, name),
      ),
    ),
    ...others.map((name) => both('', realGlyphs(records, fault, name))),
  ]);
  return markdown(['fault', ...names, ...others], rows);
}

function outcomeInSimulator(found: Found, fault: FaultId, name: string): OutcomeId | undefined {
  const cell = found.cells.find((each) => each.fault === fault && each.column === name);
  return cell && outcomeOf(cell);
}

/** Simulated / real. */
function both(simulated: string, real: string): string {
  return real === '' ? simulated : `${simulated} / ${real}`.trimStart();
}

function glyphs(cell: Cell): string {
  const column = COLUMNS.find(({ name }) => name === cell.column);
  const fenced = column?.subject.tokens === true ? ` ${OUTCOMES[fencedOutcomeOf(cell)].glyph}` : '';
  const end = cell.violated['liveness'] === undefined ? '' : ` ${NO_END}`;
  const beyond = cell.violated['ownership'] === undefined ? '' : ` ${OWNERSHIP}`;
  const outcome = outcomeOf(cell);
  const many = outcome === 'holds' || outcome === 'late' ? ` ${cell.schedules}` : '';
  return `${OUTCOMES[outcome].glyph}${fenced}${many}${end}${beyond}`;
}

function legend(): string {
  const entries: readonly OutcomeId[] = ['holds', 'late', 'breaks', 'inert', 'nothing'];
  const meanings = entries.map(
    (id) => `${OUTCOMES[id].glyph} ${MEANINGS[id] ?? OUTCOMES[id].meaning}`,
  );
  return `${meanings.join(' · ')} · ${NO_END} a process ended, or waited without end · ${OWNERSHIP} a renewal or a release changed the hold of another\n\nTwo glyphs: the lock, and a resource that compares its fencing tokens. One glyph: it has no tokens. Ours play at least as many schedules in all, taken from those of every library on as many nodes.

Under \`client-clock\` as many again are played in which work takes up to ${OUTLASTING_SHARE} times as long as the lease: a wrong clock makes a lease too long, and a client that is done before its end cannot show it. No holder counts as late in those, since a caller that gets no report of a loss would be late without any fault.`;
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
  return `This table counts schedules in which, after the faults, a healthy client waits too long for a free key. As in the schedules of our own locks, fewer than half of the nodes, and perhaps one client, never recover: they are dead, paused, cut off or slow. All other clients then have to acquire the key, and hand it over, within bounds. Our bounds are in \`harness/src/locks\`. Those of the libraries, in \`test/peers/subject.ts\`, are calculated in that way from their own retries, the clients’ limits for dialling, and the rest of a ttl. Schedules in which a client waited longer:

${markdown(['fault', ...names], rows)}

The first of each:

${examples.join('\n')}

These schedules do not separate two causes. The clients have no time limit for a command, so a library that waits for every node waits for one that never replies. And all messages take equally long here: contenders that split the votes, and retry after equal times, stay in step. Connections, timers and subscriptions that are left at the end are not judged, since clients keep some of their own.`;
}

function how(): string {
  const clients = `ioredis ${versionOf('ioredis')} and node-redis ${versionOf('redis')}`;
  return `- **Clients**: ${clients}, unmodified, with their default options, since none of the four READMEs asks for others (two scenarios at the end of this page do, and say so). Commands wait in a queue while there is no connection. When a connection is lost, ioredis sends commands without a reply again; node-redis rejects them. Neither has a time limit for a command that was sent. Verrou names ioredis 5 as its peer; it uses three commands, which did not change in version 6.
- **Time**: a lease lasts one second, because schedules are short. Settings in milliseconds were kept, or shortened in proportion if they would be longer than that; the table says which.
- **The caller** does what the documentation shows. Right before it writes, it checks what the library offers (\`isAcquired\`, \`signal.aborted\`, \`isExpired()\`, \`expiration\`). It stops as soon as a loss is reported, listens to \`error\` events, and tries again 100 ms after an acquisition was rejected.
- **Validity** is judged by the promise in the table. If a library reports a deadline, validity ends there. If it only reports “still held”, validity ends when it reports otherwise.
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

function chapter(library: PeerLibrary, found: Found, stories: readonly ReplayedStory[]): string {
  const { name, version, says } = library;
  const cells = FAULTS.map((fault) => cellAt(found.cells, fault, name));
  const own = stories.filter((each) => each.found.column === name);
  return [
    `## ${name} (${library.package} ${version})`,
    `Its own description: ${says}`,
    notSeen(cells),
    ...own.map(storyPart),
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
    `- two clients held validly, by its promise, under ${by('breaks')}`,
    ...(tokens.length === 0
      ? []
      : [`- its tokens failed under ${listed(tokens.map(({ fault }) => fault))}`]),
    ...(ends.length === 0 ? [] : [`- did not end under ${ends.join(', ')}`]),
    ...beyondOwn(cells),
    ...proportions(cells),
  ].join('\n');
}

/** Cells in which an operation changed a hold it was not sent for; the first, in full. */
function beyondOwn(cells: readonly Cell[]): readonly string[] {
  const violating = cells.filter(({ violated }) => violated['ownership'] !== undefined);
  const [first] = violating;
  if (first === undefined) return [];
  const faults = violating.map(({ fault }) => `\`${fault}\``).join(', ');
  const message = first.violated['ownership']?.message;
  return [
    `- changed a hold of another client under ${faults}; first, under \`${first.fault}\`: ${message}`,
  ];
}

/** Cells in which much of the work was given up without a fault. */
function proportions(cells: readonly Cell[]): readonly string[] {
  const undisturbed = cells.find(({ fault }) => fault === 'none');
  if (undisturbed === undefined || undisturbed.accepted === undisturbed.ops) return [];
  const { accepted, ops } = undisturbed;
  return [
    `- without any fault, ${accepted} of ${ops} updates were made: in the others the end of the lease was reported to the caller before its write`,
  ];
}

function storyPart({ found: key, story, played, violation, ours }: ReplayedStory): string {
  const runs = Object.values(key.runs);
  const soon = ` Found by search after ${runs.join(', ')} schedules from seeds 1 to ${runs.length}.`;
  const scene = sceneOf(played, story, `${key.column}, fault ${key.fault}`);
  const verdict = scene.verdicts.find(({ kind }) => kind === 'violated')?.message;
  return `### ${key.column}: ${key.fault}

${sentence(verdict ?? violation.message)}.${soon} The same schedule on ${ours.name}: ${ours.story.expect.kind === 'ok' ? 'no violation' : 'violated, too'}.

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
  return `Findings of code reading and single runs on a real server (\`E1\` to \`E11\`), and how the simulator shows them. “Search”: the number of generated schedules of a cell in which a violation shows it, and the first. “Directed”: a scenario written for it, in \`test/peers/known-defects.ts\`, played again whenever this page is written.

${markdown(['item', 'what was known', 'search', 'directed'], rows)}`;
}

function listed(faults: readonly FaultId[]): string {
  return faults.length === 0 ? 'none of them' : faults.map((fault) => `\`${fault}\``).join(', ');
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
