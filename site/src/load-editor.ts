import type * as EditorModule from './editor.ts';

/** An editor in an element; its code is loaded when the first one opens. */
export async function loadEditor(
  base: URL,
  place: HTMLElement,
  onChange: (text: string) => void,
): Promise<EditorModule.Editor> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bundle of that very file
  const module = (await import(
    /* @vite-ignore */ new URL('../editor.js', base).href
  )) as typeof EditorModule;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the playground is in one
  return new module.Editor(place, place.getRootNode() as ShadowRoot, onChange);
}
