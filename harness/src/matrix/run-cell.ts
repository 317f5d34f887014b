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

/** What `search` has to find for a claim to break; a resource that compares tokens is meant. */
export const TARGET_OF: Readonly<Record<Claimed, TargetProperty>> = {
  validity: { property: 'validity', fenced: false },
  belief: { property: 'belief', fenced: false },
  resource: { property: 'resource', fenced: true },
};

/** The first schedule that went wrong in some way, as it was generated. */
export interface FirstViolation {
  /** Its place among the schedules of the seed, from 1. */
  readonly n: number;
  readonly schedule: Schedule;
  readonly violation: Violation;
}

/** What became of one lock under one fault. */
export interface CellResult {
  readonly tally: Tally;
  /** The first of each kind, by the names of the tally. */
  readonly findings: ReadonlyMap<string, FirstViolation>;
}

export interface CellRunOptions
  extends Pick<SearchOptions, 'seed' | 'budget' | 'share' | 'after' | 'targets' | 'onPlay'> {
  /** Asked after every batch whether to stop before the budget is spent. */
  readonly shouldStop?: (sofar: CellResult) => boolean;
}

/** Plays the whole budget of a cell, whatever is found, unless that was wanted or is enough. */
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
  // The control uses no node; faults of nodes have to name one all the same.
  const nodes = subject.open === undefined ? { nodes: 1 } : {};
  return { subject, faults: [fault], setup: { ...setup, ...nodes } };
}

/** What tells two states of the code of one cell apart. */
export function fingerprintOfCell(subject: Subject, row: Row, seed: number): Promise<string> {
  return fingerprintOf({ ...searchOptions(subject, row), seed });
}

export const EMPTY_CELL_RESULT: CellResult = { tally: EMPTY_TALLY, findings: new Map() };

/** Two trials of one cell, of different schedules, as one: of every kind the earlier finding. */
export function mergeCellResults(a: CellResult, b: CellResult): CellResult {
  const findings = new Map(a.findings);
  for (const [name, finding] of b.findings)
    if (finding.n < (findings.get(name)?.n ?? Infinity)) findings.set(name, finding);
  return { tally: addTallies(a.tally, b.tally), findings };
}

/** In how many of its schedules a claim was violated. */
export function violatedIn({ tally }: CellResult, claimed: Claimed): number {
  return tally.violated[propertyName(TARGET_OF[claimed])] ?? 0;
}

/** In how many of its schedules somebody waited for ever, or something outlived its lease. */
export function stuckIn({ tally }: CellResult): number {
  return tally.violated[propertyName({ property: 'liveness', fenced: false })] ?? 0;
}

/** In at least this share of the schedules the fault has to take effect, while one client held and another waited. */
const EFFECTIVE_SHARE_MIN = 0.2;

/** Why a trial proves nothing, however clean it looks; undefined when it does. */
export function provesNothing(trial: CellResult, cell: ExpectedCell): string | undefined {
  const { accepted: acceptedMin, stuck: stuckMax } = cell;
  const { schedules, effective, ops, accepted } = trial.tally;
  const stuck = stuckIn(trial);
  if (effective < schedules * EFFECTIVE_SHARE_MIN || effective === 0)
    return `the fault took effect in only ${effective} of ${schedules} schedules`;
  if (accepted < ops * acceptedMin || accepted === 0)
    return `only ${accepted} of ${ops} operations were done`;
  if (stuck > schedules * stuckMax)
    return `${stuck} of ${schedules} schedules did not come to their end: ${trial.findings.get('liveness')?.violation.message ?? ''}`;
  const unseen = unreachedIn(trial, cell);
  return unseen.length === 0
    ? undefined
    : `in none of ${schedules} schedules ${unseen.join(', and ')}`;
}

/** The rare states that a cell names and that none of its schedules reached. */
export function unreachedIn(
  { tally }: CellResult,
  { sometimes }: ExpectedCell,
): readonly Sometimes[] {
  return sometimes.filter((state) => (tally.sometimes[state] ?? 0) === 0);
}

/** The claims that came out other than expected. */
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
