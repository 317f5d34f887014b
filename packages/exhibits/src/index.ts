export { EXHIBIT_CAPABILITIES } from './capabilities.ts';
export { EXHIBITS } from './exhibits.ts';
export { type ExhibitOptions, openExhibit, type RecipeOptions, recipe } from './open.ts';
export type { Call, Recipe } from './recipe.ts';
