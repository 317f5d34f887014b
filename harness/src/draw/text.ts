import { type Conflict, claimsOf } from './conflict.ts';
import { clockText, ms, wrapped } from './format.ts';
import { headlineOf } from './headline.ts';
import { meaningOf } from './meaning.ts';
import { heaviest, joinMoments, NOISE, namesOf, type TimelineEntry } from './moment.ts';
import { momentsOf } from './moments.ts';
import { FAULT_GLYPH, OUTCOMES, plainStyle, RAILS, type TextStyle } from './notation.ts';
import { type Rail, Rails } from './rails.ts';
import { type Actor, lanesOf, type Scene } from './scene.ts';

export interface TextOptions {
  /** Without colour by default. */
  readonly ink?: TextStyle;
  /** 100 columns by default. */
  readonly width?: number;
  /** The maximum length of a timeline; beyond it the least important lines are omitted; 40 by default. */
  readonly lines?: number;
}

/** One line of a timeline, before it is laid out. */
interface Row {
  readonly entry: TimelineEntry;
  readonly actor: Actor | undefined;
  readonly rails: readonly Rail[];
  readonly note: string;
}

const GAP = '  ';
const NO_BREAK = '\u00A0';
const CLOCK_WIDTH = 12;
const WIDTH = 100;
const LINES = 40;
/** The minimum width of the event column, even on a narrow terminal. */
const ROOM_MIN = 24;

/** The story of a scene for a terminal: a headline, a timeline, and its meaning. Ends without a line break. */
export function drawText(
  scene: Scene,
  { ink = plainStyle, width = WIDTH, lines = LINES }: TextOptions = {},
): string {
  const { outcome, text } = headlineOf(scene);
  const { colour, glyph } = OUTCOMES[outcome];
  return [
    ink.bold(ink.colour(colour, text)),
    ink.dim(`${glyph} ${scene.title}`),
    '',
    ...timeline(scene, ink, width, lines),
    '',
    ...wrapped(meaningOf(scene), width),
  ].join('\n');
}

function timeline(scene: Scene, ink: TextStyle, width: number, lines: number): readonly string[] {
  const actors = lanesOf(scene);
  const columns = actors.filter(({ kind }) => kind !== 'resource');
  const all = joinMoments(momentsOf(scene));
  const shown = heaviest(
    all.filter(({ weight }) => weight > NOISE),
    lines,
  );
  const rows = rowsOf(scene, shown, actors, columns);
  const layout = layoutOf(rows, columns, width);
  const left = all.length - shown.length;
  return [
    ink.dim(head(columns, layout)),
    ...rows.flatMap((row) => rowLines(row, columns, layout, ink)),
    '',
    ...legend(scene, width).map((line) => ink.dim(line)),
    ...(left === 0 ? [] : [ink.dim(`${left} minor ${left === 1 ? 'line' : 'lines'} omitted`)]),
  ];
}

interface Layout {
  readonly time: number;
  readonly who: number;
  readonly rails: readonly number[];
  readonly room: number;
  readonly indent: number;
}

function layoutOf(rows: readonly Row[], columns: readonly Actor[], width: number): Layout {
  const time = Math.max(2, ...rows.map(({ entry }) => timeText(entry).length));
  const who = Math.max(3, ...rows.map(({ entry }) => namesOf(entry).length));
  const rails = headsOf(columns).map(({ length }) => length);
  const indent =
    time + rails.reduce((sum, rail) => sum + rail + 1, 2) + who + CLOCK_WIDTH + 3 * GAP.length - 1;
  return { time, who, rails, room: Math.max(ROOM_MIN, width - indent), indent };
}

const HEADS_WIDTH = 40;

/** The names of columns; if they are long, `n1'` for the replica of `n1`. */
function headsOf(columns: readonly Actor[]): readonly string[] {
  const names = columns.map(({ id }) => id);
  return names.join(' ').length <= HEADS_WIDTH
    ? names
    : names.map((name) => name.replace(/-replica$/, "'"));
}

function head(columns: readonly Actor[], { time, who }: Layout): string {
  const names = headsOf(columns).join(' ');
  return [
    'ms'.padStart(time),
    names,
    'who'.padEnd(who),
    'its clock'.padEnd(CLOCK_WIDTH),
    'what happens',
  ].join(GAP);
}

function rowLines(
  { entry, actor, rails, note }: Row,
  columns: readonly Actor[],
  layout: Layout,
  ink: TextStyle,
): string[] {
  const cells = columns.map((_, i) => {
    const { glyph, colour } = rails[i] ?? { glyph: RAILS.nothing };
    const width = layout.rails[i] ?? 1;
    const text = glyph.slice(0, width).padEnd(width);
    return colour === undefined ? text : ink.colour(colour, text);
  });
  const isFault = entry.kind === 'fault';
  const what = isFault ? `${FAULT_GLYPH} ${entry.what}` : entry.what;
  const [first = '', ...rest] = wrapped(what, layout.room - note.length);
  const line = [
    timeText(entry).padStart(layout.time),
    cells.join(' '),
    ink.bold(namesOf(entry).padEnd(layout.who)),
    ink.dim((actor === undefined ? '' : clockText(actor, entry.atMs)).padEnd(CLOCK_WIDTH)),
    `${isFault ? ink.colour('magenta', first) : first}${note === '' ? '' : ink.colour('red', note)}`,
  ].join(GAP);
  return [line.trimEnd(), ...rest.map((more) => ' '.repeat(layout.indent) + more)];
}

/** The rows of a timeline; the row at which a conflict begins names it. */
function rowsOf(
  scene: Scene,
  entries: readonly TimelineEntry[],
  actors: readonly Actor[],
  columns: readonly Actor[],
): readonly Row[] {
  const rails = new Rails(scene);
  const unmarked = new Set(
    claimsOf(scene).conflicts.filter(({ untilMs, fromMs }) => fromMs < untilMs),
  );
  return entries.map((entry, i) => {
    const later = entries.slice(i + 1).filter(({ atMs }) => atMs === entry.atMs);
    const begun = [...unmarked].filter((conflict) => beginsAt(conflict, entry, later));
    begun.forEach((conflict) => unmarked.delete(conflict));
    const kind = begun.some((conflict) => conflict.kind === 'broken') ? 'broken' : begun[0]?.kind;
    return {
      entry,
      actor: actors.find(({ id }) => id === entry.actor),
      rails: columns.map((actor) => rails.at(actor, entry.atMs)),
      note: kind === undefined ? '' : `  ◀ ${kind}`,
    };
  });
}

/** True at the start of a conflict; of several entries at that time, at the one of the second client. */
function beginsAt(
  { fromMs, second }: Conflict,
  entry: TimelineEntry,
  later: readonly TimelineEntry[],
): boolean {
  if (fromMs !== entry.atMs) return fromMs < entry.atMs;
  return entry.actor === second || !later.some(({ actor }) => actor === second);
}

function legend(scene: Scene, width: number): readonly string[] {
  const parts = [
    `${RAILS.valid} valid`,
    `${RAILS.late} believes, but is not valid`,
    `${RAILS.waits} waits`,
  ];
  if (scene.history.some(({ type }) => type === 'crashed')) parts.push(`${RAILS.dead} dead`);
  if (scene.faults.length > 0) parts.push(`${FAULT_GLYPH} fault`);
  if (scene.serverState.length > 0) parts.push('under a node: the holder in its data');
  // Lines break only between two signs.
  const line = parts.map((part) => part.replaceAll(' ', NO_BREAK)).join(` ${NO_BREAK}`);
  return wrapped(line, width).map((each) => each.replaceAll(NO_BREAK, ' ').trim());
}

function timeText({ atMs }: TimelineEntry): string {
  return ms(atMs);
}
