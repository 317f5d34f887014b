import { ConfigError } from '@holdfast/core';
import { named, type Recipe } from '../exhibits/index.ts';
import type { EditedPackage } from './lock.ts';

/** The file of an exhibit, which exports its recipe. */
export function editedRecipe(entry: string): EditedPackage {
  return {
    package: 'exhibits',
    entry,
    open: (module, { nodes }, host) => named(recipeIn(module))({ nodes }, host),
  };
}

/** @throws ConfigError if a module exports no recipe */
function recipeIn(module: object): Recipe {
  const recipe = Object.values(module).find(isRecipe);
  if (recipe === undefined) throw new ConfigError('the code exports no recipe with take and give');
  return recipe;
}

function isRecipe(value: unknown): value is Recipe {
  return typeof value === 'object' && value !== null && 'take' in value && 'give' in value;
}
