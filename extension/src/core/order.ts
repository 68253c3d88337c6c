/** The order of points within each layer: depth first, then median sweeps that lessen crossings. */

import { at, bump, byte, IntList, type Ragged, real } from './arrays.js';
import type { Layers } from './layers.js';

const SWEEPS = 8;
const PATIENCE = 3;

export interface Order {
  /** Points layer by layer, left to right: layer r is `points[start[r] .. start[r + 1])`. */
  readonly start: Int32Array;
  readonly points: Int32Array;
  /** Per point: its place in its layer. */
  readonly place: Int32Array;
}

export function orderPoints(layers: Layers, width: Float64Array, boxOrder: Int32Array): Order {
  const order = depthFirst(layers, boxOrder);
  const sweep = new Sweep(layers, width, order);
  let fewest = countCrossings(layers, order);
  const best = order.points.slice();
  let failures = 0;
  for (let i = 0; i < SWEEPS && fewest > 0 && failures < PATIENCE; i++) {
    if (i % 2 === 0) sweep.down();
    else sweep.up();
    const crossings = countCrossings(layers, order);
    if (crossings < fewest) {
      fewest = crossings;
      best.set(order.points);
      failures = 0;
    } else failures++;
  }
  order.points.set(best);
  renumber(order);
  return order;
}

function renumber(order: Order): void {
  for (let r = 0; r + 1 < order.start.length; r++) {
    const first = at(order.start, r);
    for (let i = first; i < at(order.start, r + 1); i++)
      order.place[at(order.points, i)] = i - first;
  }
}

function depthFirst(layers: Layers, boxOrder: Int32Array): Order {
  const { count, rank, layerCount, arcsDown } = layers;
  const start = new Int32Array(layerCount + 1);
  for (const r of rank) bump(start, r + 1);
  for (let r = 0; r < layerCount; r++) bump(start, r + 1, at(start, r));
  const next = start.slice();
  const points = new Int32Array(count);
  const seen = new Uint8Array(count);
  const todo = new IntList();
  for (const root of boxOrder) {
    todo.push(root);
    while (todo.length > 0) {
      const point = todo.pop();
      if (byte(seen, point)) continue;
      seen[point] = 1;
      points[bump(next, at(rank, point))] = point;
      for (let k = at(arcsDown.start, point + 1) - 1; k >= at(arcsDown.start, point); k--) {
        const target = at(layers.arcTarget, at(arcsDown.items, k));
        if (!byte(seen, target)) todo.push(target);
      }
    }
  }
  const order = { start, points, place: new Int32Array(count) };
  renumber(order);
  return order;
}

/** Crossings between neighbouring layers, by a Fenwick tree: O(arcs · log width). */
function countCrossings(layers: Layers, order: Order): number {
  const tree = new Int32Array(widest(order) + 2);
  let crossings = 0;
  for (let r = 0; r + 1 < layers.layerCount; r++) {
    const size = at(order.start, r + 2) - at(order.start, r + 1);
    if (size < 2 || at(order.start, r + 1) - at(order.start, r) < 2) continue;
    tree.fill(0, 0, size + 2);
    let total = 0;
    for (let i = at(order.start, r); i < at(order.start, r + 1); i++) {
      const point = at(order.points, i);
      const from = at(layers.arcsDown.start, point);
      const to = at(layers.arcsDown.start, point + 1);
      for (let k = from; k < to; k++) {
        let slot = at(order.place, at(layers.arcTarget, at(layers.arcsDown.items, k))) + 1;
        let before = 0;
        for (; slot > 0; slot -= slot & -slot) before += at(tree, slot);
        crossings += total - before;
      }
      for (let k = from; k < to; k++) {
        let slot = at(order.place, at(layers.arcTarget, at(layers.arcsDown.items, k))) + 1;
        for (; slot <= size; slot += slot & -slot) bump(tree, slot);
        total++;
      }
    }
  }
  return crossings;
}

function widest(order: Order): number {
  let most = 0;
  for (let r = 0; r + 1 < order.start.length; r++)
    most = Math.max(most, at(order.start, r + 1) - at(order.start, r));
  return most;
}

class Sweep {
  private readonly wish: Float64Array;

  constructor(
    private readonly layers: Layers,
    private readonly width: Float64Array,
    private readonly order: Order,
  ) {
    this.wish = new Float64Array(layers.count);
  }

  down(): void {
    const { arcsUp, arcSource, arcSourceX } = this.layers;
    for (let r = 1; r < this.layers.layerCount; r++)
      this.sortLayer(r, arcsUp, arcSource, arcSourceX);
  }

  up(): void {
    const { arcsDown, arcTarget, arcTargetX } = this.layers;
    for (let r = this.layers.layerCount - 2; r >= 0; r--)
      this.sortLayer(r, arcsDown, arcTarget, arcTargetX);
  }

  private sortLayer(r: number, arcs: Ragged, other: Int32Array, otherX: Float64Array): void {
    const { order, wish } = this;
    const from = at(order.start, r);
    const to = at(order.start, r + 1);
    const movable: number[] = [];
    let isSorted = true;
    for (let i = from; i < to; i++) {
      const point = at(order.points, i);
      const median = this.median(point, arcs, other, otherX);
      wish[point] = median;
      if (median < 0) continue;
      const last = movable[movable.length - 1];
      if (last !== undefined && real(wish, last) > median) isSorted = false;
      movable.push(point);
    }
    if (isSorted) return;
    movable.sort(
      (a, b) => real(wish, a) - real(wish, b) || at(order.place, a) - at(order.place, b),
    );
    let next = 0;
    for (let i = from; i < to; i++) {
      // Points without neighbours on that side keep their place.
      if (real(wish, at(order.points, i)) >= 0) order.points[i] = movable[next++] ?? 0;
    }
    for (let i = from; i < to; i++) order.place[at(order.points, i)] = i - from;
  }

  /** The weighted median of the neighbours' places, -1 without neighbours. */
  private median(point: number, arcs: Ragged, other: Int32Array, otherX: Float64Array): number {
    const from = at(arcs.start, point);
    const count = at(arcs.start, point + 1) - from;
    if (count === 0) return -1;
    const places = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      const arc = at(arcs.items, from + k);
      const neighbour = at(other, arc);
      const width = real(this.width, neighbour) + 1;
      places[k] = at(this.order.place, neighbour) + 0.5 + (0.9 * real(otherX, arc)) / width;
    }
    if (count === 1) return real(places, 0);
    places.sort();
    const half = count >> 1;
    if (count % 2 === 1) return real(places, half);
    const low = real(places, half - 1);
    const high = real(places, half);
    const left = low - real(places, 0);
    const right = real(places, count - 1) - high;
    return left + right > 0 ? (low * right + high * left) / (left + right) : (low + high) / 2;
  }
}
