import { FAULT_IDS } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import type { OwnServers } from '../../src/lab/deployments/own-servers.ts';
import { reasonOf, UNPLAYED } from '../../src/lab/evaluation/choreographies.ts';
import { CLIENT_FAULTS, LAB_FAULTS, plannedCells } from '../../src/lab/evaluation/plan.ts';
import { columnNamed } from '../../src/locks/index.ts';

function names(wanted: Parameters<typeof plannedCells>[0]): readonly string[] {
  return plannedCells(wanted).map(({ column, fault }) => `${fault} on ${column}`);
}

test('a full evaluation plays all that a quick one does, and more', () => {
  const [quick, full] = [names({}), names({ full: true })];

  expect(quick.filter((name) => !full.includes(name))).toEqual([]);
  expect(full.length).toBeGreaterThan(2 * quick.length);
});

test('a fault that is named is played wherever it can be, also in a quick one', () => {
  const full = names({ full: true }).filter((name) => name.startsWith('suspend on '));

  expect(names({ faults: ['suspend'] }).filter((name) => name.startsWith('suspend'))).toEqual(full);
});

test('every fault is played, or the plan says why not', () => {
  const unplayed = FAULT_IDS.filter((fault) => UNPLAYED.some((reason) => reason.startsWith(fault)));

  expect(FAULT_IDS.filter((fault) => ![...LAB_FAULTS, ...unplayed].includes(fault))).toEqual([]);
});

test('no fault of a server is played on servers of the user', () => {
  const servers = { backend: 'zk' } as OwnServers;
  const own = { servers: [servers], namespace: 'mine' };

  const cells = plannedCells({ own, full: true });

  expect(new Set(cells.map(({ column }) => column))).toEqual(new Set(['no-lock', 'zk']));
  expect(cells.filter(({ fault }) => !CLIENT_FAULTS.includes(fault))).toEqual([]);
});

test('a quick one plays the faults that are known to break a lock, so that no lock looks safe for want of them', () => {
  const quick = names({});

  for (const fault of ['pause', 'client-clock', 'restart-empty', 'failover', 'client-cut'])
    expect(quick).toContain(`${fault} on redis-getset`);
  for (const fault of ['server-clock-forward', 'restart-empty', 'torn-log'])
    expect(quick).toContain(`${fault} on redlock`);
});

const BACKENDS = [
  ...(['redis-simple', 'redis-getset', 'redlock', 'zk'] as const),
  ...(['etcd', 'postgres', 'postgres-synchronous'] as const),
];

test('of every fault and every backend something is played, or it is said why not', () => {
  const cells = plannedCells({ full: true });
  const played = new Set(
    cells.map(({ fault, column }) => `${fault} on ${columnNamed(column).backend}`),
  );
  const untold = LAB_FAULTS.flatMap((fault) =>
    BACKENDS.filter(
      (backend) => !played.has(`${fault} on ${backend}`) && reasonOf(fault, backend) === undefined,
    ),
  );

  expect(untold).toEqual([]);
});
