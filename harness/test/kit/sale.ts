/** The flash sale in the simulator, for tests outside of the harness. */

export { formatChart, formatHeadings, formatStep } from '../../src/sale/format.ts';
export { runSales, saleSelectionOf } from '../../src/sale/run-sales.ts';
export type { SaleSettings } from '../../src/sale/sale.ts';
export { simulatedEnvironment } from '../../src/sale/simulated-environment.ts';
