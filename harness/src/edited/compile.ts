import { ConfigError } from '@holdfast/core';
import { transform } from 'sucrase';

/**
 * Strips the types of a module, and makes its imports calls of `require`: so that they can be served from a table.
 * @throws ConfigError with the place, for text that is no module
 */
export function compile(path: string, text: string): string {
  try {
    return transform(text, {
      transforms: ['typescript', 'imports'],
      disableESTransforms: true,
      production: true,
      filePath: path,
    }).code;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(why.replace(/^Error transforming [^:]+: /, `${path}: `), { cause });
  }
}
