import { ConfigError } from '@holdfast/core';
import { columnNamed, isControl, REAL_COLUMNS } from '../../locks/index.ts';
import type { ServerFactory } from '../../plant/index.ts';
import { NO_TARGET, reasonOf } from '../evaluation/choreographies.ts';
import { missingFor } from '../evaluation/machine.ts';
import { type CellSelection, CLIENT_FAULTS, LAB_FAULTS, plannedCells } from '../evaluation/plan.ts';

type LabSelection = CellSelection & { readonly serverFactory: ServerFactory };

/** @throws ConfigError for what cannot be struck, or cannot strike, on real servers: each that is named has to be played on something */
export function playable(asked: LabSelection): void {
  knownFaults(asked);
  knownBackends(asked);
  installed(asked);
  selectedCells(asked);
}

function knownFaults({ faults = [], own }: LabSelection): void {
  const strange = faults.find((fault) => !LAB_FAULTS.some((each) => each === fault));
  if (strange !== undefined)
    throw new ConfigError(
      `real servers do not show ${strange}; what they show: ${LAB_FAULTS.join(', ')}`,
    );
  const isOwn = own !== undefined && faults.length > 0;
  if (isOwn && !faults.some((fault) => CLIENT_FAULTS.some((each) => each === fault)))
    throw new ConfigError(
      `${faults.join(', ')}: the laboratory strikes only servers that it started itself; on yours it plays ${CLIENT_FAULTS.join(', ')}`,
    );
}

function knownBackends({ backends = [], own }: LabSelection): void {
  const columns = REAL_COLUMNS.map((id) => columnNamed(id).backend);
  const known: readonly string[] = own?.servers.map(({ backend }) => backend) ?? columns;
  const other = backends.find((backend) => !known.includes(backend));
  const named = [...new Set(known)].filter((backend) => !isControl(backend)).join(', ');
  if (other !== undefined)
    throw new ConfigError(`${other} has no servers to strike; what has: ${named}`);
}

function installed({ backends = [], own, serverFactory }: LabSelection): void {
  if (own !== undefined) return;
  for (const { id, backend } of REAL_COLUMNS.map(columnNamed)) {
    const what = backends.includes(backend) ? missingFor(serverFactory, id) : undefined;
    if (what !== undefined)
      throw new ConfigError(`${what}: install it, or leave ${backend} out of --backends`);
  }
}

/** Where both are named, faults and backends, each has to meet one of the others. */
function selectedCells(asked: LabSelection): void {
  const { faults, backends } = asked;
  if (faults === undefined || backends === undefined) return;
  const cells = plannedCells(asked).map(({ column, fault }) => ({
    fault,
    backend: columnNamed(column).backend,
  }));
  const idle =
    faults.find((fault) =>
      cells.every(({ fault: own, backend }) => own !== fault || isControl(backend)),
    ) ?? backends.find((backend) => cells.every((cell) => cell.backend !== backend));
  if (idle === undefined) return;
  const pairs = faults.flatMap((fault) => backends.map((backend) => ({ fault, backend })));
  const told = pairs
    .filter(({ fault, backend }) => fault === idle || backend === idle)
    .map(
      ({ fault, backend }) =>
        `${fault} is not played on ${backend}: ${whyNot(fault, backend, asked)}`,
    );
  throw new ConfigError(told.join('; '));
}

function whyNot(fault: string, backend: string, { own }: LabSelection): string {
  const strikes = own === undefined || CLIENT_FAULTS.some((each) => each === fault);
  if (!strikes) return 'the laboratory strikes only servers that it started itself';
  return reasonOf(fault, backend) ?? NO_TARGET;
}
