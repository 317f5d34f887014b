import type { MeasuredSection } from '../section.ts';
import { drawChart } from './chart.ts';
import { escaped, tag } from './markup.ts';

/** The machine and the versions, on which all figures depend. */
export interface Machine {
  readonly node: string;
  readonly cpu: string | undefined;
  readonly cores: number;
  readonly redis: string | undefined;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --soft: #888; --ours: #0a6; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --soft: #8a8f98; --ours: #3c9; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; font-size: 13px; line-height: 1.4; }
figure { margin: 1.5rem 0; } figcaption { font-weight: 600; }
svg { width: 100%; height: auto; } text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--soft); stroke-opacity: .3; } polyline { fill: none; stroke: var(--soft); stroke-width: 1.5; }
polyline.ours { stroke: var(--ours); stroke-width: 3; } polyline.base { stroke: var(--ink); stroke-dasharray: 5 4; }
.name.ours { fill: var(--ours); font-weight: 600; }`;

/** One page without scripts: the charts of each section, and its figures as text. */
export function pageOf(sections: readonly MeasuredSection[], machine: Machine, at: string): string {
  const parts = sections.map(
    ({ name, text, charts }) =>
      tag('h2', { id: name }, escaped(name)) +
      charts.map(drawChart).join('') +
      tag('pre', {}, escaped(text)),
  );
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    tag('title', {}, 'Holdfast: what a lock costs') +
    tag('style', {}, STYLE);
  const body = [
    tag('h1', {}, 'What a lock costs'),
    tag(
      'p',
      {},
      escaped(
        `Measured ${at} on ${machineText(machine)}. Read ratios; times differ between machines.`,
      ),
    ),
    ...parts,
  ];
  return `<!doctype html>${tag('html', { lang: 'en' }, tag('head', {}, head) + tag('body', {}, body.join('')))}\n`;
}

export function machineText({ node, cpu, cores, redis }: Machine): string {
  return `${cores} × ${cpu ?? 'unknown CPU'}, Node ${node}, redis-server ${redis ?? '?'}`;
}
