import { ConfigError } from '@holdfast/core';
import { columnNamed, isControl, REAL_COLUMNS } from '../../locks/index.ts';
import type { ServerFactory } from '../../real/index.ts';
import { NO_TARGET, reasonOf } from '../evaluation/choreographies.ts';
import { columnOf } from '../evaluation/external.ts';
import { missingFor } from '../evaluation/machine.ts';
import { type CellSelection, CLIENT_FAULTS, LAB_FAULTS, plannedCells } from '../evaluation/plan.ts';

type LabSelection = CellSelection & { readonly serverFactory: ServerFactory };

/** @throws ConfigError for a fault or backend that real servers cannot show: each named one has to be in some cell */
export function rejectUnplayable(selection: LabSelection): void {
  rejectUnknownFaults(selection);
  rejectUnknownExternal(selection);
  rejectUnknownBackends(selection);
  rejectMissingServers(selection);
  rejectIdleNames(selection);
}

function rejectUnknownFaults({ faults = [], own }: LabSelection): void {
  const unknown = faults.find((fault) => !LAB_FAULTS.some((each) => each === fault));
  if (unknown !== undefined)
    throw new ConfigError(`real servers cannot show ${unknown}; use ${LAB_FAULTS.join(', ')}`);
  const isOwn = own !== undefined && faults.length > 0;
  if (isOwn && !faults.some((fault) => CLIENT_FAULTS.some((each) => each === fault)))
    throw new ConfigError(
      `${faults.join(', ')}: the lab injects no fault into servers that it did not start; on yours use ${CLIENT_FAULTS.join(', ')}`,
    );
}

function rejectUnknownExternal({ external, serverFactory }: LabSelection): void {
  if (external === undefined) return;
  const { on } = external;
  const known = REAL_COLUMNS.filter((id) => !isControl(id));
  if (!known.includes(on))
    throw new ConfigError(`unknown --external-on ${on}; use ${known.join(', ')}`);
  const missing = missingFor(serverFactory, on);
  if (missing !== undefined)
    throw new ConfigError(`${missing}: install it, or test the command on the servers of another`);
}

function rejectUnknownBackends({ backends = [], own }: LabSelection): void {
  const columns = REAL_COLUMNS.map((id) => columnNamed(id).backend);
  const known: readonly string[] = own?.servers.map(({ backend }) => backend) ?? columns;
  const other = backends.find((backend) => !known.includes(backend));
  const named = [...new Set(known)].filter((backend) => !isControl(backend)).join(', ');
  if (other !== undefined)
    throw new ConfigError(`${other} has no servers to inject faults into; use ${named}`);
}

function rejectMissingServers({ backends = [], own, serverFactory }: LabSelection): void {
  if (own !== undefined) return;
  for (const { id, backend } of REAL_COLUMNS.map(columnNamed)) {
    const what = backends.includes(backend) ? missingFor(serverFactory, id) : undefined;
    if (what !== undefined)
      throw new ConfigError(`${what}: install it, or leave ${backend} out of --backends`);
  }
}

/** If faults and backends are both named, each has to meet one of the others. */
function rejectIdleNames(selection: LabSelection): void {
  const { faults, backends } = selection;
  if (faults === undefined || backends === undefined) return;
  const cells = plannedCells(selection).map(({ column, fault }) => ({
    fault,
    backend: columnOf(column, selection.external).backend,
  }));
  const idle =
    faults.find((fault) =>
      cells.every(({ fault: own, backend }) => own !== fault || isControl(backend)),
    ) ?? backends.find((backend) => cells.every((cell) => cell.backend !== backend));
  if (idle === undefined) return;
  const pairs = faults.flatMap((fault) => backends.map((backend) => ({ fault, backend })));
  const reasons = pairs
    .filter(({ fault, backend }) => fault === idle || backend === idle)
    .map(
      ({ fault, backend }) =>
        `${fault} cannot run on ${backend}: ${whyNot(fault, backend, selection)}`,
    );
  throw new ConfigError(reasons.join('; '));
}

function whyNot(fault: string, backend: string, { own }: LabSelection): string {
  const canRun = own === undefined || CLIENT_FAULTS.some((each) => each === fault);
  if (!canRun) return 'the lab injects no fault into servers that it did not start';
  return reasonOf(fault, backend) ?? NO_TARGET;
}
