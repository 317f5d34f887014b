import { ANSWERS, LIVENESS, type Mutant, type MutantTrial } from '../mutant.ts';

const DUPLICATE_NODES: Pick<MutantTrial, 'subject' | 'faults' | 'setup'> = {
  subject: 'redlock',
  faults: ['none'],
  setup: { repointed: true },
};

/** Mistakes that show where two addresses have come to lead to one server, and nowhere else. */
export const DUPLICATE_NODE_MUTANTS: readonly Mutant[] = [
  {
    name: 'redlock-votes-without-place',
    package: 'redlock',
    file: 'store.ts',
    find: "  return owner.replace(':', `.${place}:`);\n",
    replace: '  return owner;\n',
    why: 'Where the owner value does not name the place of its node, one server behind all addresses renews the vote of each: a majority of one. Within a few hundred schedules that makes two holders.',
    trial: { ...DUPLICATE_NODES, target: ANSWERS },
    detectedBy: /the lock reported to . at [\d.]+ ms that it still held k/,
  },
  {
    name: 'redlock-twin-for-good',
    package: 'redlock',
    file: 'node-registry.ts',
    find: '    const before = this.#seen.get(node);\n    try {\n',
    replace:
      '    const before = this.#seen.get(node);\n    try {\n      if (this.#duplicates.has(node)) throw new NodeUnavailable(`${node.address}: a duplicate`);\n',
    why: 'An address that leads to its own server again has a vote again. Who never looks at it anew has no majority left once all addresses have led to one server.',
    trial: { ...DUPLICATE_NODES, target: LIVENESS },
    detectedBy: /never got its turn/,
  },
  {
    name: 'redlock-believes-twins',
    package: 'redlock',
    file: 'node-registry.ts',
    find: '    return this.has(node) && (now === run || (this.#hasRun(node, now) && this.#hasRun(node, run)));\n',
    replace: '    return true;\n',
    why: 'A server that has come to stand behind the address of another knows nothing of the votes that were given there: to take its word for them is to lose what one holds.',
    trial: { ...DUPLICATE_NODES, target: ANSWERS },
    detectedBy: /the lock reported to . at [\d.]+ ms that it had (?:lost|not held) k/,
  },
  {
    name: 'redlock-new-connection-not-looked-at',
    package: 'redlock',
    file: 'node-registry.ts',
    find: '    return seen !== undefined && seen.connections === node.connections;\n',
    replace: '    return seen !== undefined;\n',
    why: 'What was learnt of a server is true of the connection on which it was learnt. Who does not look again takes the word of whoever answers now for votes that another has.',
    trial: { ...DUPLICATE_NODES, target: ANSWERS },
    detectedBy: /the lock reported to . at [\d.]+ ms that it had (?:lost|not held) k/,
  },
];
