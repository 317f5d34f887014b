// One notation for terminal, drawings, page and docs: it lives beside the drawings.
export { type Column, mark, OUTCOMES, type OutcomeId, RING } from '../draw/index.ts';
