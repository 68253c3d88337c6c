/**
 * The tree of boxes: groups (scopes, nodes with bodies), nodes, and ports (graph inputs, outputs).
 *
 * Item numbers: scopes first, then nodes, then ports. Constants are folded into their first user,
 * groups around a single thing are dissolved.
 */

import { at, byte, IntList, type Ragged, ragged } from './arrays.js';
import { type Graph, hasFlag, NodeFlag, nameOf, opOf, ScopeKind, text } from './document.js';
import { type DataEdges, dataEdges } from './edges.js';
import { type Port, portsOf } from './ports.js';

export const ItemKind = { GROUP: 0, NODE: 1, PORT: 2 } as const;

export interface Hierarchy {
  readonly graph: Graph;
  readonly scopeCount: number;
  readonly nodeCount: number;
  readonly ports: readonly Port[];
  /** Per item: the group it stands in; -1 for the root, -2 for what is not drawn. */
  readonly parent: Int32Array;
  readonly children: Ragged;
  /** Per item: how many nodes it holds, folded constants left out. */
  readonly size: Int32Array;
  /** Per node row: the item that shows it, -1 where nothing does. */
  readonly itemOfNode: Int32Array;
  /** Per node row: the name of the group that was dissolved around it, else empty. */
  readonly soleName: ReadonlyMap<number, string>;
  readonly edges: DataEdges;
}

const ROOT = -1;
const HIDDEN = -2;

export function buildHierarchy(graph: Graph): Hierarchy {
  const scopeCount = graph.scopeParent.length;
  const nodeCount = graph.nodeOp.length;
  const ports = portsOf(graph);
  const parent = new Int32Array(scopeCount + nodeCount + ports.length).fill(HIDDEN);
  parent.set(graph.scopeParent);
  parent[0] = ROOT;
  const itemOfNode = placeNodes(graph, parent);
  ports.forEach((port, i) => {
    parent[scopeCount + nodeCount + i] = port.scope;
  });
  const soleName = dissolve(graph, parent, itemOfNode);
  const shown = parent.map((group) => (group === HIDDEN ? ROOT : group));
  const sizes = sizesOf(graph, parent);
  return {
    graph,
    scopeCount,
    nodeCount,
    ports,
    parent,
    children: ragged(scopeCount, shown),
    size: sizes,
    itemOfNode,
    soleName,
    edges: dataEdges(graph, ports, itemOfNode, scopeCount + nodeCount),
  };
}

/** Stand every node in its scope, fold constants, let groups stand for nodes with bodies. */
function placeNodes(graph: Graph, parent: Int32Array): Int32Array {
  const scopeCount = graph.scopeParent.length;
  const itemOfNode = new Int32Array(graph.nodeOp.length);
  for (let node = 0; node < itemOfNode.length; node++) {
    itemOfNode[node] = scopeCount + node;
    parent[scopeCount + node] = at(graph.nodeScope, node);
  }
  for (let scope = 1; scope < scopeCount; scope++) {
    const node = at(graph.scopeNode, scope);
    if (byte(graph.scopeKind, scope) !== ScopeKind.NODE || node < 0) continue;
    itemOfNode[node] = scope;
    parent[scopeCount + node] = HIDDEN;
  }
  for (let node = 0; node < itemOfNode.length; node++) {
    const user = hasFlag(graph, node, NodeFlag.CONSTANT) ? firstUser(graph, node) : -1;
    if (user < 0) continue;
    itemOfNode[node] = at(itemOfNode, user);
    parent[scopeCount + node] = HIDDEN;
  }
  return itemOfNode;
}

function firstUser(graph: Graph, node: number): number {
  for (let i = at(graph.nodeOutputs.start, node); i < at(graph.nodeOutputs.start, node + 1); i++) {
    const value = at(graph.nodeOutputs.items, i);
    if (value < 0) continue;
    const first = at(graph.consumers.start, value);
    if (first === at(graph.consumers.start, value + 1)) continue;
    const user = at(graph.consumers.items, first);
    if (!hasFlag(graph, user, NodeFlag.CONSTANT)) return user;
  }
  return -1;
}

/** Take away module groups that hold one thing or nothing; a node keeps the name of its group. */
function dissolve(graph: Graph, parent: Int32Array, itemOfNode: Int32Array): Map<number, string> {
  const scopeCount = graph.scopeParent.length;
  const count = new Int32Array(scopeCount);
  const only = new Int32Array(scopeCount).fill(-1);
  for (let item = 1; item < parent.length; item++) {
    const group = at(parent, item);
    if (group < 0 || item < scopeCount) continue;
    count[group] = at(count, group) + 1;
    only[group] = item;
  }
  const names = new Map<number, string>();
  for (let scope = scopeCount - 1; scope > 0; scope--) {
    const group = at(parent, scope);
    const n = at(count, scope);
    const isModule = byte(graph.scopeKind, scope) === ScopeKind.MODULE;
    if (n > 1 || !isModule) {
      if (n === 0 && itemOfNode[at(graph.scopeNode, scope)] !== scope) {
        parent[scope] = HIDDEN;
        continue;
      }
      count[group] = at(count, group) + 1;
      only[group] = scope;
      continue;
    }
    parent[scope] = HIDDEN;
    if (n === 0) continue;
    const child = at(only, scope);
    parent[child] = group;
    count[group] = at(count, group) + 1;
    only[group] = child;
    const name = text(graph, at(graph.scopeName, scope));
    const inner = names.get(child);
    names.set(child, inner ? `${name}/${inner}` : name);
  }
  return names;
}

function sizesOf(graph: Graph, parent: Int32Array): Int32Array {
  const scopeCount = graph.scopeParent.length;
  const size = new Int32Array(parent.length);
  for (let node = 0; node < graph.nodeOp.length; node++) {
    if (at(parent, scopeCount + node) >= 0) size[scopeCount + node] = 1;
  }
  for (let item = scopeCount; item < parent.length; item++) addTo(size, parent, item);
  for (let scope = scopeCount - 1; scope > 0; scope--) addTo(size, parent, scope);
  return size;
}

function addTo(size: Int32Array, parent: Int32Array, item: number): void {
  const group = at(parent, item);
  if (group >= 0) size[group] = at(size, group) + at(size, item);
}

export function kindOf(tree: Hierarchy, item: number): number {
  if (item < tree.scopeCount) return ItemKind.GROUP;
  return item < tree.scopeCount + tree.nodeCount ? ItemKind.NODE : ItemKind.PORT;
}

/** The node row an item stands for: itself, or the owner of its bodies; -1 for modules and ports. */
export function nodeOf(tree: Hierarchy, item: number): number {
  const kind = kindOf(tree, item);
  if (kind === ItemKind.NODE) return item - tree.scopeCount;
  return kind === ItemKind.GROUP ? at(tree.graph.scopeNode, item) : -1;
}

export function portOf(tree: Hierarchy, item: number): Port | undefined {
  return tree.ports[item - tree.scopeCount - tree.nodeCount];
}

export function childCount(tree: Hierarchy, group: number): number {
  return at(tree.children.start, group + 1) - at(tree.children.start, group);
}

/** Whether an item is a group with something in it. */
export function canOpen(tree: Hierarchy, item: number): boolean {
  return item > 0 && kindOf(tree, item) === ItemKind.GROUP && childCount(tree, item) > 0;
}

/** The large text of a box: its op, its module's name, its port's name. */
export function labelOf(tree: Hierarchy, item: number): string {
  const { graph } = tree;
  const kind = kindOf(tree, item);
  if (kind === ItemKind.NODE) return opOf(graph, item - tree.scopeCount);
  if (kind === ItemKind.PORT) return portOf(tree, item)?.label ?? '';
  const node = at(graph.scopeNode, item);
  const own =
    node >= 0 && byte(graph.scopeKind, item) === ScopeKind.NODE
      ? opOf(graph, node)
      : text(graph, at(graph.scopeName, item));
  const outer = tree.soleName.get(item);
  return outer ? `${outer}/${own}` : own;
}

/** The small text of a box: what tells it from others of its op; empty where nothing does. */
export function sublabelOf(tree: Hierarchy, item: number): string {
  const node = nodeOf(tree, item);
  if (node < 0) return '';
  const sole = tree.soleName.get(item);
  if (sole && kindOf(tree, item) === ItemKind.NODE) return sole;
  const name = nameOf(tree.graph, node);
  const tail = name.slice(name.replace(/\/+$/, '').lastIndexOf('/') + 1);
  const op = opOf(tree.graph, node);
  return tail.toLowerCase().replace(/^node_|[_\-.@:#]?\d*$/g, '') === op.toLowerCase() ? '' : tail;
}

/** Groups from the root down to what holds an item, the root left out. */
export function ancestorsOf(tree: Hierarchy, item: number): number[] {
  const path: number[] = [];
  for (let group = at(tree.parent, item); group > 0; group = at(tree.parent, group))
    path.push(group);
  return path.reverse();
}

/** Every node row inside an item (folded constants left out). */
export function nodesIn(tree: Hierarchy, item: number): number[] {
  const rows: number[] = [];
  const todo = new IntList();
  todo.push(item);
  while (todo.length > 0) {
    const next = todo.pop();
    const node = nodeOf(tree, next);
    if (node >= 0) rows.push(node);
    if (kindOf(tree, next) !== ItemKind.GROUP) continue;
    for (let i = at(tree.children.start, next + 1) - 1; i >= at(tree.children.start, next); i--) {
      todo.push(at(tree.children.items, i));
    }
  }
  return rows;
}
