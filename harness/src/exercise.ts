export {
  COMPARE_AND_DELETE,
  type Recipe,
  type RecipeCall,
  type RecipeOptions,
  recipe,
} from './exhibits/index.ts';
