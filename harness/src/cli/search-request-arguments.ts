import { type FaultId, nearest } from '@holdfast/core/backend';
import { UsageError } from 'holdfast/internal';
import type { SearchRequest } from '../find/search-request.ts';
import { FAULT_IDS } from '../simulator/index.ts';
import { sizedFrom } from './lock-arguments.ts';
import { BUDGET_MAX, wholeNumber } from './number-options.ts';

const BUDGET = { option: 'budget', fallback: 20_000, min: 1, max: BUDGET_MAX } as const;
const SEED = { option: 'seed', fallback: 1, min: 0, max: 2 ** 32 - 1 } as const;
const PROPERTIES = [
  'validity',
  'belief',
  'resource',
  'ownership',
  'answers',
  'fifo',
  'liveness',
] as const;

/** @throws UsageError */
export function searchRequestFrom(
  operands: readonly string[],
  values: ReadonlyMap<string, string>,
  fenced: boolean,
): SearchRequest {
  const [lock, ...more] = operands;
  if (lock === undefined || more.length > 0)
    throw new UsageError(
      'name one lock to search',
      'For example: holdfast find redis-simple --fault failover',
    );
  return {
    lock: sizedFrom(lock, values),
    folder: process.cwd(),
    faults: faultsFrom(values.get('fault')),
    fenced,
    property: propertyFrom(values.get('property'), fenced),
    budget: wholeNumber(values, BUDGET),
    seed: wholeNumber(values, SEED),
  };
}

function faultsFrom(text: string | undefined): readonly FaultId[] {
  if (text === undefined)
    throw new UsageError('--fault is missing', `Use one of ${FAULT_IDS.join(', ')}.`);
  return [...new Set(text.split(',').map((name) => faultFrom(name.trim())))];
}

function faultFrom(name: string): FaultId {
  const fault = FAULT_IDS.find((id) => id === name);
  if (fault !== undefined) return fault;
  const meant = nearest(name, FAULT_IDS);
  const hint =
    meant === undefined ? `Use one of ${FAULT_IDS.join(', ')}.` : `Did you mean ${meant}?`;
  throw new UsageError(`unknown fault "${name}"`, hint);
}

function propertyFrom(text: string | undefined, fenced: boolean): SearchRequest['property'] {
  if (text === undefined) return undefined;
  const property = PROPERTIES.find((each) => each === text);
  if (property === undefined)
    throw new UsageError(`unknown property "${text}"`, `Use one of ${PROPERTIES.join(', ')}.`);
  if (fenced && property !== 'resource')
    throw new UsageError(
      `--fenced judges the resource, not ${property}`,
      'Leave out one of the two.',
    );
  return property;
}
