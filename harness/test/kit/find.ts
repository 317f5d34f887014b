/** The search behind `holdfast find` and its drawings, for tests outside of the harness. */

export { plain } from '../../src/compare/paint.ts';
export { find } from '../../src/find/find.ts';
export { formatFinding } from '../../src/find/format-finding.ts';
export { inlineRunner } from '../../src/find/open-runners.ts';
export { sceneOf } from '../../src/find/scene-of.ts';
export { primaryTarget, type SearchRequest } from '../../src/find/search-request.ts';
