export { type Call, type Recipe, type RecipeOptions, recipe } from '@holdfast/exhibits';
