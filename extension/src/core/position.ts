/** Horizontal places: Brandes and Köpf's four alignments, averaged. */

import { at, bump, byte, type Ragged, ragged, real } from './arrays.js';
import type { Layers } from './layers.js';
import type { Order } from './order.js';

const BOX_GAP = 24;
const EDGE_GAP = 12;

/** The centre of every point; the leftmost border is 0. */
export function placePoints(layers: Layers, order: Order, width: Float64Array): Float64Array {
  const sorted = sortArcs(layers, order);
  const conflict = markConflicts(layers, order, sorted.up);
  const above = preferred(layers, sorted.up);
  const below = preferred(layers, sorted.down);
  const results: Float64Array[] = [];
  for (const fromBelow of [false, true]) {
    for (const fromRight of [false, true]) {
      const root = align(layers, order, fromBelow ? below : above, conflict, fromBelow, fromRight);
      results.push(compact(layers, order, width, root, fromRight));
    }
  }
  return average(results, width);
}

/** The arcs by which points may be aligned, in the order of their other ends. */
function sortArcs(layers: Layers, order: Order): { up: Ragged; down: Ragged } {
  return {
    up: sortedBy(layers.arcsDown, layers.arcsUp, layers.arcTarget, order),
    down: sortedBy(layers.arcsUp, layers.arcsDown, layers.arcSource, order),
  };
}

function sortedBy(from: Ragged, into: Ragged, end: Int32Array, order: Order): Ragged {
  const next = into.start.slice();
  const items = new Int32Array(into.items.length);
  for (const point of order.points) {
    for (let k = at(from.start, point); k < at(from.start, point + 1); k++) {
      const arc = at(from.items, k);
      items[bump(next, at(end, arc))] = arc;
    }
  }
  return { start: into.start, items };
}

/**
 * Keeps, where a point has any, the arcs between two boxes or between two waypoints: the main flow
 * and long edges stay straight, branches bend.
 */
function preferred(layers: Layers, arcs: Ragged): Ragged {
  const start = new Int32Array(layers.count + 1);
  const items = new Int32Array(arcs.items.length);
  let filled = 0;
  for (let point = 0; point < layers.count; point++) {
    const from = at(arcs.start, point);
    const to = at(arcs.start, point + 1);
    for (let k = from; k < to; k++)
      if (joinsLike(layers, at(arcs.items, k))) items[filled++] = at(arcs.items, k);
    if (filled === at(start, point))
      for (let k = from; k < to; k++) items[filled++] = at(arcs.items, k);
    start[point + 1] = filled;
  }
  return { start, items };
}

function joinsLike({ arcSource, arcTarget, boxCount }: Layers, arc: number): boolean {
  return at(arcSource, arc) < boxCount === at(arcTarget, arc) < boxCount;
}

/** Arcs that cross a piece of a long edge must not be straightened: the long edge goes first. */
function markConflicts(layers: Layers, order: Order, up: Ragged): Uint8Array {
  const conflict = new Uint8Array(layers.arcSource.length);
  for (let r = 1; r < layers.layerCount; r++) {
    const from = at(order.start, r);
    const to = at(order.start, r + 1);
    let left = 0;
    let done = from;
    for (let i = from; i < to; i++) {
      const inner = innerSource(layers, up, at(order.points, i));
      if (inner < 0 && i < to - 1) continue;
      const right = inner >= 0 ? at(order.place, inner) : Number.MAX_SAFE_INTEGER;
      for (; done <= i; done++)
        markOutside(layers, order, up, at(order.points, done), left, right, conflict);
      left = right;
    }
  }
  return conflict;
}

/** The waypoint above a waypoint, -1 for anything else. */
function innerSource(layers: Layers, up: Ragged, point: number): number {
  if (point < layers.boxCount) return -1;
  const source = at(layers.arcSource, at(up.items, at(up.start, point)));
  return source >= layers.boxCount ? source : -1;
}

function markOutside(
  layers: Layers,
  order: Order,
  up: Ragged,
  point: number,
  left: number,
  right: number,
  conflict: Uint8Array,
): void {
  if (innerSource(layers, up, point) >= 0) return;
  for (let k = at(up.start, point); k < at(up.start, point + 1); k++) {
    const arc = at(up.items, k);
    const place = at(order.place, at(layers.arcSource, arc));
    if (place < left || place > right) conflict[arc] = 1;
  }
}

/** Per point the point that names the vertical line on which both stand. */
function align(
  layers: Layers,
  order: Order,
  arcs: Ragged,
  conflict: Uint8Array,
  fromBelow: boolean,
  fromRight: boolean,
): Int32Array {
  const root = new Int32Array(layers.count).map((_, i) => i);
  const other = fromBelow ? layers.arcTarget : layers.arcSource;
  for (let q = 0; q < layers.layerCount; q++) {
    const r = fromBelow ? layers.layerCount - 1 - q : q;
    const from = at(order.start, r);
    const count = at(order.start, r + 1) - from;
    let limit = fromRight ? Number.MAX_SAFE_INTEGER : -1;
    for (let i = 0; i < count; i++) {
      const point = at(order.points, fromRight ? from + count - 1 - i : from + i);
      const first = at(arcs.start, point);
      const degree = at(arcs.start, point + 1) - first;
      if (degree === 0) continue;
      const low = first + ((degree - 1) >> 1);
      const high = first + (degree >> 1);
      for (let t = 0; t <= high - low; t++) {
        const arc = at(arcs.items, fromRight ? high - t : low + t);
        const anchor = at(other, arc);
        const place = at(order.place, anchor);
        if (byte(conflict, arc) || (fromRight ? place >= limit : place <= limit)) continue;
        root[point] = at(root, anchor);
        limit = place;
        break;
      }
    }
  }
  return root;
}

/** Push blocks together from one side: longest paths in the graph of neighbouring blocks. */
function compact(
  layers: Layers,
  order: Order,
  width: Float64Array,
  root: Int32Array,
  fromRight: boolean,
): Float64Array {
  const pairCount = order.points.length;
  const before = new Int32Array(pairCount).fill(-1);
  const after = new Int32Array(pairCount);
  const distance = new Float64Array(pairCount);
  const waiting = new Int32Array(layers.count);
  for (let r = 0; r < layers.layerCount; r++) {
    for (let i = at(order.start, r) + 1; i < at(order.start, r + 1); i++) {
      const a = at(order.points, i - 1);
      const b = at(order.points, i);
      before[i] = at(root, a);
      after[i] = at(root, b);
      distance[i] = separation(layers, width, a, b);
      bump(waiting, at(root, b));
    }
  }
  const pairs = ragged(layers.count, before);
  const queue: number[] = [];
  for (let v = 0; v < layers.count; v++)
    if (at(root, v) === v && at(waiting, v) === 0) queue.push(v);
  const x = new Float64Array(layers.count);
  for (let head = 0; head < queue.length; head++) {
    const block = queue[head] as number;
    for (let k = at(pairs.start, block); k < at(pairs.start, block + 1); k++) {
      const pair = at(pairs.items, k);
      const next = at(after, pair);
      x[next] = Math.max(real(x, next), real(x, block) + real(distance, pair));
      if (bump(waiting, next, -1) === 1) queue.push(next);
    }
  }
  if (fromRight) packRight(queue, pairs, after, distance, x);
  return x.map((_, v) => real(x, at(root, v)));
}

function packRight(
  queue: number[],
  pairs: Ragged,
  after: Int32Array,
  distance: Float64Array,
  x: Float64Array,
): void {
  let edge = 0;
  for (const block of queue) edge = Math.max(edge, real(x, block));
  for (let i = queue.length - 1; i >= 0; i--) {
    const block = queue[i] as number;
    let limit = edge;
    for (let k = at(pairs.start, block); k < at(pairs.start, block + 1); k++) {
      const pair = at(pairs.items, k);
      limit = Math.min(limit, real(x, at(after, pair)) - real(distance, pair));
    }
    x[block] = limit;
  }
}

function separation(layers: Layers, width: Float64Array, a: number, b: number): number {
  const waypoints = Number(a >= layers.boxCount) + Number(b >= layers.boxCount);
  const gap = waypoints === 0 ? BOX_GAP : waypoints === 1 ? (BOX_GAP + EDGE_GAP) / 2 : EDGE_GAP;
  return (real(width, a) + real(width, b)) / 2 + gap;
}

function average(results: Float64Array[], width: Float64Array): Float64Array {
  const spans = results.map((x) => span(x, width));
  const narrowest = spans.reduce(
    (best, s) => (s[1] - s[0] < best[1] - best[0] ? s : best),
    spans[0] ?? [0, 0],
  );
  results.forEach((x, i) => {
    const own = spans[i] ?? [0, 0];
    const move = i % 2 === 0 ? narrowest[0] - own[0] : narrowest[1] - own[1];
    for (let v = 0; v < x.length; v++) x[v] = real(x, v) + move;
  });
  const out = new Float64Array(width.length);
  for (let v = 0; v < out.length; v++) {
    const [a, b, c, d] = results.map((x) => real(x, v)) as [number, number, number, number];
    out[v] = (a + b + c + d - Math.max(a, b, c, d) - Math.min(a, b, c, d)) / 2;
  }
  const [left] = span(out, width);
  return out.map((x) => x - left);
}

function span(x: Float64Array, width: Float64Array): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < x.length; v++) {
    low = Math.min(low, real(x, v) - real(width, v) / 2);
    high = Math.max(high, real(x, v) + real(width, v) / 2);
  }
  return x.length > 0 ? [low, high] : [0, 0];
}
