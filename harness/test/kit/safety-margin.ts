/** The margin between a holder and its servers, for tests outside of the harness. */

export { type Margin, marginPage } from '../../src/margin/format-margins.ts';
export {
  type LeaseMargins,
  MARGIN_DEFAULTS,
  MEASURED,
  measureMargins,
  rowsFor,
} from '../../src/margin/measure-margins.ts';
