export { type Call, type Recipe, type RecipeOptions, recipe } from './exhibits/index.ts';
