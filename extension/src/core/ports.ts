/** Inputs and outputs of graphs as boxes; many alike (a KV cache) stand as one, "×24". */

import { at, byte, type Ragged } from './arrays.js';
import { type Graph, GraphKind, rowsOf, ScopeKind, text, ValueKind } from './document.js';

const STACK_FROM = 4;

/** One drawn input or output: one value, or several alike. */
export interface Port {
  readonly output: boolean;
  readonly graph: number;
  /** The scope it stands in. */
  readonly scope: number;
  readonly label: string;
  readonly values: Int32Array;
}

/** The ports of the main graph and of every body that a scope stands for. */
export function portsOf(graph: Graph): Port[] {
  const scopes = scopeOfGraphs(graph);
  const ports: Port[] = [];
  for (let g = 0; g < graph.graphKind.length; g++) {
    const scope = at(scopes, g);
    if (scope < 0) continue;
    const inputs = rowsOf(graph.graphInputs, g).filter((value) => isDrawnInput(graph, g, value));
    stack(graph, inputs, { output: false, graph: g, scope }, ports);
    const outputs = rowsOf(graph.graphOutputs, g).filter((value) => value >= 0);
    stack(graph, outputs, { output: true, graph: g, scope }, ports);
  }
  return ports;
}

function isDrawnInput(graph: Graph, g: number, value: number): boolean {
  if (value < 0 || byte(graph.valueKind, value) !== ValueKind.INPUT) return false;
  return g === 0 || isUsed(graph.consumers, value);
}

function isUsed(consumers: Ragged, value: number): boolean {
  return at(consumers.start, value + 1) > at(consumers.start, value);
}

type Place = Pick<Port, 'output' | 'graph' | 'scope'>;

function stack(graph: Graph, values: Int32Array, place: Place, out: Port[]): void {
  const alike = new Map<string, number[]>();
  for (const value of values) {
    const pattern = text(graph, at(graph.valueName, value)).replace(/\d+/g, '#');
    const key = `${pattern} ${at(graph.valueDtype, value)}`;
    const list = alike.get(key);
    if (list) list.push(value);
    else alike.set(key, [value]);
  }
  for (const list of alike.values()) {
    if (list.length < STACK_FROM) {
      for (const value of list)
        out.push({ ...place, label: nameOfValue(graph, value), values: Int32Array.of(value) });
    } else {
      const label = nameOfValue(graph, list[0] ?? 0).replace(/\d+/g, '#');
      out.push({ ...place, label: `${label} ×${list.length}`, values: Int32Array.from(list) });
    }
  }
}

function nameOfValue(graph: Graph, value: number): string {
  return text(graph, at(graph.valueName, value));
}

/** Per graph: the scope its nodes stand in, -1 where there is none. */
function scopeOfGraphs(graph: Graph): Int32Array {
  const ofNode = new Map<number, number>();
  const bodies = new Map<string, number>();
  for (let scope = 0; scope < graph.scopeKind.length; scope++) {
    const kind = byte(graph.scopeKind, scope);
    if (kind === ScopeKind.NODE) ofNode.set(at(graph.scopeNode, scope), scope);
    if (kind === ScopeKind.BODY)
      bodies.set(`${at(graph.scopeParent, scope)} ${at(graph.scopeName, scope)}`, scope);
  }
  const out = new Int32Array(graph.graphKind.length).fill(-1);
  for (let g = 0; g < out.length; g++) {
    if (byte(graph.graphKind, g) === GraphKind.MAIN) out[g] = 0;
    const scope = ofNode.get(at(graph.graphOwner, g));
    if (scope !== undefined)
      out[g] = bodies.get(`${scope} ${at(graph.graphAttribute, g)}`) ?? scope;
  }
  return out;
}
