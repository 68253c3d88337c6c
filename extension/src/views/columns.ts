/** The columns of the table of nodes: what each shows and how it sorts. */

import { at, byte, real } from '../core/arrays.js';
import { type Graph, nameOf, opOf, text, typeOf } from '../core/document.js';
import { oneLine, quantity } from '../core/format.js';
import type { Store } from '../core/store.js';

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly isNumber: boolean;
  cell(node: number): string;
  /** How two of these rows compare; what costs is worked out once per row. */
  comparer(rows: Int32Array): (a: number, b: number) => number;
}

export function columnsOf(store: Store): Column[] {
  const { graph } = store.tree.value;
  const scopes = scopePaths(graph);
  const numbers = store.metrics.value.map<Column>((metric) => ({
    key: metric.key,
    label: metric.label,
    isNumber: true,
    cell: (node) => {
      const value = real(metric.values, node);
      return Number.isNaN(value) ? '' : quantity(value, metric.unit, metric.estimated);
    },
    comparer: () => (a, b) => asNumber(real(metric.values, a)) - asNumber(real(metric.values, b)),
  }));
  const fates = store.profiles.value.map<Column>(({ profile, regionOfNode, fateOfNode }) =>
    words(`kernel.${profile.label}`, `kernel on ${profile.label}`, (node) => {
      const region = profile.regions[at(regionOfNode, node)];
      return region?.label ?? profile.fates[byte(fateOfNode, node)] ?? '';
    }),
  );
  return [
    {
      key: 'row',
      label: '#',
      isNumber: true,
      cell: (node) => String(node),
      comparer: () => (a, b) => a - b,
    },
    words('op', 'op', (node) => opOf(graph, node)),
    words('name', 'name', (node) => oneLine(nameOf(graph, node))),
    words('scope', 'scope', (node) => scopes[at(graph.nodeScope, node)] ?? ''),
    ...numbers,
    words('output', 'output', (node) => outputType(graph, node)),
    ...fates,
  ];
}

function words(key: string, label: string, cell: (node: number) => string): Column {
  return {
    key,
    label,
    isNumber: false,
    cell,
    comparer(rows) {
      const texts = new Map(Array.from(rows, (node) => [node, cell(node)]));
      return (a, b) => COLLATOR.compare(texts.get(a) ?? '', texts.get(b) ?? '');
    },
  };
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true });

/** Missing numbers sort below all others. */
function asNumber(value: number): number {
  return Number.isNaN(value) ? -Number.MAX_VALUE : value;
}

function scopePaths(graph: Graph): string[] {
  const paths: string[] = [];
  for (let scope = 0; scope < graph.scopeParent.length; scope++) {
    const above = paths[at(graph.scopeParent, scope)];
    const own = oneLine(text(graph, at(graph.scopeName, scope)));
    paths.push(above ? `${above}/${own}` : own);
  }
  return paths;
}

function outputType(graph: Graph, node: number): string {
  const value = graph.nodeOutputs.items[at(graph.nodeOutputs.start, node)] ?? -1;
  return value >= 0 ? typeOf(graph, value) : '';
}
