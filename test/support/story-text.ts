import type { Story } from '@holdfast/harness/simulator';

/** As stories are kept: one line for each operation and fault, without blanks, as there are many. */
export function storyText(story: Story): string {
  const { schedule, ...rest } = story;
  const { ops, faults, ...setup } = schedule;
  const { expect, ...head } = rest;
  return `{${fields(head)},
"schedule":{${fields(setup)},
"ops":[${lines(ops)}],
"faults":[${lines(faults)}]},
${fields({ expect })}}\n`;
}

function lines(list: readonly unknown[]): string {
  return list.map((each) => `\n${JSON.stringify(each)}`).join(',');
}

function fields(object: object): string {
  return Object.entries(object)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join(',');
}

/** As lists are kept, and objects of lists: one line for each element. */
export function listText(value: object): string {
  if (Array.isArray(value)) return `${elements(value)}\n`;
  const parts = Object.entries(value).map(([key, list]) => `"${key}": ${elements(list)}`);
  return `{\n${parts.join(',\n')}\n}\n`;
}

function elements(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : `[\n${list.map((each) => JSON.stringify(each)).join(',\n')}\n]`;
}
