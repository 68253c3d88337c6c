/** What is on screen: the boxes of opened groups and the edges between them. */

import { at, byte, IntList } from './arrays.js';
import {
  canOpen,
  childCount,
  type Hierarchy,
  ItemKind,
  kindOf,
  labelOf,
  portOf,
} from './hierarchy.js';

/** Groups are opened at first until about this many boxes stand. */
export const BOX_BUDGET = 150;

/** Boxes in an order where a group precedes its content; all columns are per box or per edge. */
export interface VisibleGraph {
  readonly item: Int32Array;
  /** The box of the opened group a box stands in, -1 at the root. */
  readonly parent: Int32Array;
  readonly isOpen: Uint8Array;
  /** Boxes into which edges run together, however many they are: stacked outputs. */
  readonly isSink: Uint8Array;
  readonly width: Float64Array;
  readonly height: Float64Array;
  readonly edgeSource: Int32Array;
  readonly edgeTarget: Int32Array;
  /** The first value that an edge carries, and how many it stands for. */
  readonly edgeValue: Int32Array;
  readonly edgeCount: Int32Array;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The groups to open at first: widest first, alike siblings together, while the budget holds. */
export function openAtFirst(tree: Hierarchy, budget = BOX_BUDGET): Set<number> {
  const open = new Set<number>();
  let boxes = childCount(tree, 0);
  let batches = batchesOf(tree, [0]);
  while (batches.length > 0) {
    batches.sort((a, b) => b.nodes - a.nodes || (a.groups[0] ?? 0) - (b.groups[0] ?? 0));
    const fitting = batches.find((batch) => boxes + batch.added <= budget);
    if (!fitting) break;
    boxes += fitting.added;
    batches = batches.filter((batch) => batch !== fitting);
    for (const group of fitting.groups) open.add(group);
    batches.push(...batchesOf(tree, fitting.groups));
  }
  return open;
}

interface Batch {
  readonly groups: number[];
  nodes: number;
  added: number;
}

/** The groups within some groups, those whose names differ only by a number together. */
function batchesOf(tree: Hierarchy, parents: readonly number[]): Batch[] {
  const batches = new Map<string, Batch>();
  for (const parent of parents) {
    for (let i = at(tree.children.start, parent); i < at(tree.children.start, parent + 1); i++) {
      const child = at(tree.children.items, i);
      if (!canOpen(tree, child)) continue;
      const pattern = labelOf(tree, child).replace(/\d+/g, '#');
      const batch = batches.get(pattern) ?? { groups: [], nodes: 0, added: 0 };
      batch.groups.push(child);
      batch.nodes += at(tree.size, child);
      batch.added += childCount(tree, child) - 1;
      batches.set(pattern, batch);
    }
  }
  return [...batches.values()];
}

/** The boxes and lifted edges that stand when `open` groups are open. */
export function visibleGraph(
  tree: Hierarchy,
  open: ReadonlySet<number>,
  measure: (item: number) => Size,
): VisibleGraph {
  const items = new IntList();
  const parents = new IntList();
  const boxOf = boxesUnder(tree, open, items, parents);
  const item = items.toArray();
  const width = new Float64Array(item.length);
  const height = new Float64Array(item.length);
  const isOpen = new Uint8Array(item.length);
  const isSink = new Uint8Array(item.length);
  item.forEach((it, box) => {
    isSink[box] = (portOf(tree, it)?.values.length ?? 0) > 1 ? 1 : 0;
    const size = measure(it);
    width[box] = size.width;
    height[box] = size.height;
    isOpen[box] = isOpened(tree, open, it) ? 1 : 0;
  });
  return {
    item,
    parent: parents.toArray(),
    isOpen,
    isSink,
    width,
    height,
    ...liftEdges(tree, boxOf, isOpen, parents),
  };
}

function isOpened(tree: Hierarchy, open: ReadonlySet<number>, item: number): boolean {
  return kindOf(tree, item) === ItemKind.GROUP && open.has(item) && canOpen(tree, item);
}

/** Lists boxes top down; gives per item the box that shows it (its own, or the closed group's). */
function boxesUnder(
  tree: Hierarchy,
  open: ReadonlySet<number>,
  items: IntList,
  parents: IntList,
): Int32Array {
  const boxOf = new Int32Array(tree.parent.length).fill(-1);
  const todo = new IntList();
  const todoBox = new IntList();
  todo.push(0);
  todoBox.push(-1);
  while (todo.length > 0) {
    const group = todo.pop();
    const box = todoBox.pop();
    for (let i = at(tree.children.start, group); i < at(tree.children.start, group + 1); i++) {
      const child = at(tree.children.items, i);
      parents.push(box);
      boxOf[child] = items.push(child);
      if (!isOpened(tree, open, child)) continue;
      todo.push(child);
      todoBox.push(at(boxOf, child));
    }
  }
  for (let item = 1; item < boxOf.length; item++) {
    // A scope's parent precedes it, so what shows the parent is known by now.
    if (at(boxOf, item) < 0 && at(tree.parent, item) > 0)
      boxOf[item] = at(boxOf, at(tree.parent, item));
  }
  return boxOf;
}

type LiftedEdges = Pick<VisibleGraph, 'edgeSource' | 'edgeTarget' | 'edgeValue' | 'edgeCount'>;

function liftEdges(
  tree: Hierarchy,
  boxOf: Int32Array,
  isOpen: Uint8Array,
  parents: IntList,
): LiftedEdges {
  const { source, target, value } = tree.edges;
  const seen = new Map<number, number>();
  const from = new IntList();
  const to = new IntList();
  const first = new IntList();
  const count = new IntList();
  for (let e = 0; e < source.length; e++) {
    const a = at(boxOf, at(source, e));
    const b = at(boxOf, at(target, e));
    if (
      a < 0 ||
      b < 0 ||
      a === b ||
      contains(a, b, isOpen, parents) ||
      contains(b, a, isOpen, parents)
    )
      continue;
    const key = a * isOpen.length + b;
    const known = seen.get(key);
    if (known !== undefined) {
      count.set(known, count.get(known) + 1);
      continue;
    }
    seen.set(key, from.length);
    from.push(a);
    to.push(b);
    first.push(at(value, e));
    count.push(1);
  }
  return {
    edgeSource: from.toArray(),
    edgeTarget: to.toArray(),
    edgeValue: first.toArray(),
    edgeCount: count.toArray(),
  };
}

/** Whether box `a` is an opened group around box `b`. */
function contains(a: number, b: number, isOpen: Uint8Array, parents: IntList): boolean {
  if (byte(isOpen, a) === 0) return false;
  for (let box = parents.get(b); box >= 0; box = parents.get(box)) if (box === a) return true;
  return false;
}
