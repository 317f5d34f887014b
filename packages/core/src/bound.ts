/** Returns a method of `object` that can be called alone; undefined if the object lacks it. */
export function bound<T extends object, K extends keyof T>(object: T, name: K): T[K] | undefined {
  const method: unknown = object[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bind keeps the parameters and the result
  return typeof method === 'function' ? (method.bind(object) as T[K]) : undefined;
}
