/**
 * Finding nodes: words match name, op and shapes; `op:Conv`, `name:conv1`, `shape:256`, `dtype:int8`,
 * `scope:layer3`, `time>1ms` narrow down. All parts must hold.
 */

import { at, real } from './arrays.js';
import { type Graph, text } from './document.js';

/** A column that `key>number` asks about. */
export interface SearchColumn {
  readonly key: string;
  readonly values: Float64Array;
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  ns: 1e-3,
  us: 1,
  µs: 1,
  μs: 1,
  ms: 1e3,
  s: 1e6,
  '%': 0.01,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  k: 1e3,
  m: 1e6,
  g: 1e9,
};

type Test = (node: number) => boolean;

/** Node rows that match, in the graph's order; nothing for an empty query. */
export function search(
  graph: Graph,
  query: string,
  columns: readonly SearchColumn[] = [],
): Int32Array {
  const tokens = query.trim().split(/\s+/).filter(Boolean);
  if (tokens.length === 0) return new Int32Array(0);
  const tests = tokens.map((token) => testFor(graph, token, columns));
  const rows: number[] = [];
  for (let node = 0; node < graph.nodeOp.length; node++) {
    if (tests.every((test) => test(node))) rows.push(node);
  }
  return Int32Array.from(rows);
}

function testFor(graph: Graph, token: string, columns: readonly SearchColumn[]): Test {
  const compare = /^([\w.:-]+?)(>=|<=|>|<|=)([\d.]+)([a-zµμ%]*)$/i.exec(token);
  const column = compare && findColumn(columns, compare[1] ?? '');
  if (compare && column)
    return comparison(column, compare[2] ?? '', Number(compare[3]) * unit(compare[4] ?? ''));
  const field = /^(op|name|shape|dtype|scope):(.+)$/i.exec(token);
  if (!field) return anywhere(graph, token);
  const [, key, wanted = ''] = field;
  switch (key?.toLowerCase()) {
    case 'op':
      return byString(graph, graph.nodeOp, wanted);
    case 'name':
      return byString(graph, graph.nodeName, wanted);
    case 'scope':
      return byScope(graph, wanted);
    case 'dtype':
      return byValue(graph, graph.valueDtype, wanted);
    default:
      return byValue(graph, graph.valueShape, shapeText(wanted));
  }
}

function unit(suffix: string): number {
  return UNITS[suffix.toLowerCase()] ?? 1;
}

/** "time" finds the first column that starts so: "time.cpu". */
function findColumn(columns: readonly SearchColumn[], key: string): SearchColumn | undefined {
  const wanted = key.toLowerCase();
  return (
    columns.find((column) => column.key.toLowerCase() === wanted) ??
    columns.find((column) => column.key.toLowerCase().startsWith(`${wanted}.`))
  );
}

function comparison(column: SearchColumn, operator: string, limit: number): Test {
  const { values } = column;
  switch (operator) {
    case '>':
      return (node) => real(values, node) > limit;
    case '>=':
      return (node) => real(values, node) >= limit;
    case '<':
      return (node) => real(values, node) < limit;
    case '<=':
      return (node) => real(values, node) <= limit;
    default:
      return (node) => real(values, node) === limit;
  }
}

/** Users type `3,224,224` or `3x224x224`; shapes are stored as `3×224×224`. */
function shapeText(wanted: string): string {
  return wanted.replace(/[,x*]/gi, '×');
}

/** Looks at each string once, however many nodes bear it. */
function matcher(graph: Graph, wanted: string): (string: number) => boolean {
  const needle = wanted.toLowerCase();
  const known = new Uint8Array(graph.strings.length);
  return (string) => {
    if (known[string] === 0)
      known[string] = text(graph, string).toLowerCase().includes(needle) ? 1 : 2;
    return known[string] === 1;
  };
}

function byString(graph: Graph, column: Int32Array, wanted: string): Test {
  const matches = matcher(graph, wanted);
  return (node) => matches(at(column, node));
}

function byValue(graph: Graph, column: Int32Array, wanted: string): Test {
  const matches = matcher(graph, wanted);
  const { nodeOutputs, nodeInputs } = graph;
  return (node) => {
    for (const lists of [nodeOutputs, nodeInputs]) {
      for (let i = at(lists.start, node); i < at(lists.start, node + 1); i++) {
        const value = at(lists.items, i);
        if (value >= 0 && matches(at(column, value))) return true;
      }
    }
    return false;
  };
}

function byScope(graph: Graph, wanted: string): Test {
  const paths: string[] = [];
  for (let scope = 0; scope < graph.scopeParent.length; scope++) {
    const above = paths[at(graph.scopeParent, scope)];
    const own = text(graph, at(graph.scopeName, scope)).toLowerCase();
    paths.push(above ? `${above}/${own}` : own);
  }
  const needle = wanted.toLowerCase().replaceAll('.', '/');
  const hits = paths.map((path) => path.replaceAll('.', '/').includes(needle));
  return (node) => hits[at(graph.nodeScope, node)] === true;
}

function anywhere(graph: Graph, token: string): Test {
  const name = byString(graph, graph.nodeName, token);
  const op = byString(graph, graph.nodeOp, token);
  const shape = /\d/.test(token) ? byOutputShape(graph, shapeText(token)) : () => false;
  const output = byOutputName(graph, token);
  return (node) => name(node) || op(node) || output(node) || shape(node);
}

function byOutputShape(graph: Graph, wanted: string): Test {
  return byOutput(graph, graph.valueShape, wanted);
}

function byOutputName(graph: Graph, wanted: string): Test {
  return byOutput(graph, graph.valueName, wanted);
}

function byOutput(graph: Graph, column: Int32Array, wanted: string): Test {
  const matches = matcher(graph, wanted);
  return (node) => {
    for (
      let i = at(graph.nodeOutputs.start, node);
      i < at(graph.nodeOutputs.start, node + 1);
      i++
    ) {
      const value = at(graph.nodeOutputs.items, i);
      if (value >= 0 && matches(at(column, value))) return true;
    }
    return false;
  };
}
