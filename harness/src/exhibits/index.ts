export { EXHIBIT_CAPABILITIES } from './capabilities.ts';
export { DEBATED } from './debate/debated.ts';
export { EXHIBITS } from './exhibits.ts';
export { type ExhibitOptions, named, openExhibit, type RecipeOptions, recipe } from './open.ts';
export type { Call, Recipe } from './recipe.ts';
