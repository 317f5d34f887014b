export {
  type Call,
  COMPARE_AND_DELETE,
  type Recipe,
  type RecipeOptions,
  recipe,
} from './exhibits/index.ts';
