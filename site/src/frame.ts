import { h } from './dom.ts';
import type { Player } from './player.ts';
import { styles } from './style.ts';

/** What has an element of its own; undefined where the page goes without it. */
type Part = { readonly element: HTMLElement } | undefined;

/** The page around its parts, which listens to the keys of the player. */
export function frame({ controls }: Player, parts: readonly Node[]): Node[] {
  const onkeydown = (event: KeyboardEvent): void => controls.onKey(event);
  return [
    h('style', {}, styles()),
    h('section', { 'aria-label': 'Playground', onkeydown }, ...parts),
  ];
}

/** The stages, and what is below them: the controls, the tools, the list of steps, and the way to share. */
export function underStages(
  { stages, controls }: Player,
  tools: readonly Part[],
  share: Part,
): Node[] {
  return [stages, controls.element, ...elementsOf(...tools), controls.steps, ...elementsOf(share)];
}

export function elementsOf(...parts: readonly Part[]): Node[] {
  return parts.flatMap((part) => part?.element ?? []);
}
