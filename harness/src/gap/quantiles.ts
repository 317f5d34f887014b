import type { LeaseMargins } from './measure-margins.ts';

/** Where the gaps of one lock lie, in ms. */
export interface MarginQuantiles {
  readonly least: number;
  readonly rare: number;
  readonly median: number;
  readonly common: number;
  readonly most: number;
}

/** Undefined where no lease ran out. */
export function quantilesOf({ ranOut }: LeaseMargins): MarginQuantiles | undefined {
  const at = (share: number): number | undefined =>
    ranOut[Math.min(ranOut.length - 1, Math.floor(share * ranOut.length))];
  const [least, rare, median, common, most] = [0, 0.01, 0.5, 0.99, 1].map(at);
  if (
    least === undefined ||
    rare === undefined ||
    median === undefined ||
    common === undefined ||
    most === undefined
  )
    return undefined;
  return { least, rare, median, common, most };
}
