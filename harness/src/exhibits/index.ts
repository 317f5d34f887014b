export { EXHIBIT_CAPABILITIES } from './backend.ts';
export { DEBATED, EXHIBITS } from './exhibits.ts';
export {
  type ExhibitOptions,
  named,
  openExhibit,
  type RecipeOptions,
  recipe,
} from './open.ts';
export { COMPARE_AND_DELETE, type Recipe, type RecipeCall } from './recipe.ts';
