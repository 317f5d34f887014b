import {
  addTallies,
  EMPTY_TALLY,
  fingerprintOf,
  propertyName,
  type SearchOptions,
  search,
  type Tally,
  type TargetProperty,
  type Violation,
} from '../search/index.ts';
import type { Schedule, Sometimes, Subject } from '../simulator/index.ts';
import { CLAIMED, type Claimed, type ExpectedCell, type Row } from './matrix.ts';

/** The violation that breaks each claim; the resource is the one that compares tokens. */
export const TARGET_OF: Readonly<Record<Claimed, TargetProperty>> = {
  validity: { property: 'validity', fenced: false },
  belief: { property: 'belief', fenced: false },
  resource: { property: 'resource', fenced: true },
};

/** The first schedule that showed a kind of violation, as it was generated. */
export interface FirstViolation {
  /** Its place among the schedules of the seed, from 1. */
  readonly n: number;
  readonly schedule: Schedule;
  readonly violation: Violation;
}

/** The results of one lock under one fault. */
export interface CellResult {
  readonly tally: Tally;
  /** The first of each kind, by the names of the tally. */
  readonly findings: ReadonlyMap<string, FirstViolation>;
}

export interface CellRunOptions
  extends Pick<SearchOptions, 'seed' | 'budget' | 'share' | 'after' | 'targets' | 'onPlay'> {
  /** Called after every batch; true stops the search before the budget is spent. */
  readonly shouldStop?: (sofar: CellResult) => boolean;
}

/** Runs the whole budget of a cell, unless a target is found or `shouldStop` returns true. */
export async function runCell(
  subject: Subject,
  row: Row,
  { shouldStop, ...effort }: CellRunOptions,
): Promise<CellResult> {
  const findings = new Map<string, FirstViolation>();
  const stop = new AbortController();
  const { tally } = await search({
    ...effort,
    ...searchOptions(subject, row),
    signal: stop.signal,
    onProgress: (sofar) => {
      if (shouldStop?.({ tally: sofar, findings }) === true) stop.abort();
    },
    onViolation: (schedule, violation, n) => {
      const name = propertyName(violation);
      if (!findings.has(name)) findings.set(name, { n, schedule, violation });
    },
  });
  return { tally, findings };
}

function searchOptions(
  subject: Subject,
  { fault, setup }: Row,
): Pick<SearchOptions, 'subject' | 'faults' | 'setup'> {
  // The control uses no node, but faults of nodes have to name one.
  const nodes = subject.open === undefined ? { nodes: 1 } : {};
  return { subject, faults: [fault], setup: { ...setup, ...nodes } };
}

/** The fingerprint of the code that one cell runs. */
export function fingerprintOfCell(subject: Subject, row: Row, seed: number): Promise<string> {
  return fingerprintOf({ ...searchOptions(subject, row), seed });
}

export const EMPTY_CELL_RESULT: CellResult = { tally: EMPTY_TALLY, findings: new Map() };

/** Merges two results of one cell over different schedules; of every kind the earlier finding wins. */
export function mergeCellResults(a: CellResult, b: CellResult): CellResult {
  const findings = new Map(a.findings);
  for (const [name, finding] of b.findings)
    if (finding.n < (findings.get(name)?.n ?? Infinity)) findings.set(name, finding);
  return { tally: addTallies(a.tally, b.tally), findings };
}

/** The number of schedules in which a claim was violated. */
export function violatedIn({ tally }: CellResult, claimed: Claimed): number {
  return tally.violated[propertyName(TARGET_OF[claimed])] ?? 0;
}

/** The number of schedules in which a client waited forever, or something outlived its lease. */
export function stuckIn({ tally }: CellResult): number {
  return tally.violated[propertyName({ property: 'liveness', fenced: false })] ?? 0;
}

/** The minimum share of schedules in which the fault takes effect while one client holds and another waits. */
const EFFECTIVE_SHARE_MIN = 0.2;

/** The reason why a result proves nothing, even without violations; undefined if it proves something. */
export function provesNothing(trial: CellResult, cell: ExpectedCell): string | undefined {
  const { accepted: acceptedMin, stuck: stuckMax } = cell;
  const { schedules, effective, ops, accepted } = trial.tally;
  const stuck = stuckIn(trial);
  if (effective < schedules * EFFECTIVE_SHARE_MIN || effective === 0)
    return `the fault took effect in only ${effective} of ${schedules} schedules`;
  if (accepted < ops * acceptedMin || accepted === 0)
    return `only ${accepted} of ${ops} operations were done`;
  if (stuck > schedules * stuckMax)
    return `${stuck} of ${schedules} schedules did not end: ${trial.findings.get('liveness')?.violation.message ?? ''}`;
  const unreached = unreachedIn(trial, cell);
  return unreached.length === 0
    ? undefined
    : `in none of ${schedules} schedules ${unreached.join(', and ')}`;
}

/** The rare states that a cell names and that none of its schedules reached. */
export function unreachedIn(
  { tally }: CellResult,
  { sometimes }: ExpectedCell,
): readonly Sometimes[] {
  return sometimes.filter((state) => (tally.sometimes[state] ?? 0) === 0);
}

/** The claims with another outcome than expected. */
export function contradictedClaims(
  trial: CellResult,
  { claims }: ExpectedCell,
): readonly Claimed[] {
  return CLAIMED.filter((claimed) => {
    const { expect } = claims[claimed];
    if (expect === 'inert' || expect === 'n/a') return false;
    const isViolated = violatedIn(trial, claimed) > 0;
    return isViolated !== (expect === 'breaks');
  });
}
