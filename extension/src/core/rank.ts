/** First steps of the layered layout: edges that close a cycle are turned, boxes get their layer. */

import { at, bump, byte, IntList, type Ragged, ragged } from './arrays.js';
import type { Level } from './layout.js';

export const Pin = { FREE: 0, TOP: 1, BOTTOM: 2 } as const;

export interface Ranking {
  readonly rank: Int32Array;
  readonly layerCount: number;
  /** Boxes, sources first. */
  readonly order: Int32Array;
  /** Per edge: 1 where it was turned to break a cycle. */
  readonly turned: Uint8Array;
  /** Per edge after turning: the upper and the lower box. */
  readonly upper: Int32Array;
  readonly lower: Int32Array;
}

export function rankBoxes(level: Level): Ranking {
  const turned = turnCycles(level);
  const upper = level.source.map((box, e) => (byte(turned, e) ? at(level.target, e) : box));
  const lower = level.target.map((box, e) => (byte(turned, e) ? at(level.source, e) : box));
  const below = ragged(level.count, upper, lower);
  const { rank, order } = longestPath(level, below, lower);
  pullDown(level, below, lower, rank, order);
  const layerCount = pinBottom(level, rank);
  return { rank, layerCount, order, turned, upper, lower };
}

/** Depth first from the sources: an edge back into the current path is turned. */
function turnCycles(level: Level): Uint8Array {
  const turned = new Uint8Array(level.source.length);
  const out = ragged(level.count, level.source);
  const next = out.start.slice(0, level.count);
  const state = new Uint8Array(level.count);
  const path = new IntList();
  for (const start of sourcesFirst(level)) {
    if (byte(state, start) !== 0) continue;
    path.push(start);
    state[start] = 1;
    while (path.length > 0) {
      const box = path.get(path.length - 1);
      const slot = bump(next, box);
      if (slot >= at(out.start, box + 1)) {
        state[box] = 2;
        path.pop();
        continue;
      }
      const edge = at(out.items, slot);
      const target = at(level.target, edge);
      if (byte(state, target) === 1) turned[edge] = 1;
      else if (byte(state, target) === 0) {
        state[target] = 1;
        path.push(target);
      }
    }
  }
  return turned;
}

function sourcesFirst(level: Level): Int32Array {
  const hasInput = new Uint8Array(level.count);
  for (const target of level.target) hasInput[target] = 1;
  const order = new IntList();
  for (const wanted of [0, 1]) {
    for (let box = 0; box < level.count; box++) if (byte(hasInput, box) === wanted) order.push(box);
  }
  return order.toArray();
}

function longestPath(
  level: Level,
  below: Ragged,
  lower: Int32Array,
): { rank: Int32Array; order: Int32Array } {
  const waiting = new Int32Array(level.count);
  for (const box of lower) bump(waiting, box);
  const firstFree = level.pin.includes(Pin.TOP) ? 1 : 0;
  const rank = new Int32Array(level.count);
  const order = new Int32Array(level.count);
  let filled = 0;
  for (let box = 0; box < level.count; box++) {
    rank[box] = byte(level.pin, box) === Pin.TOP ? 0 : firstFree;
    if (at(waiting, box) === 0) order[filled++] = box;
  }
  for (let i = 0; i < filled; i++) {
    const box = at(order, i);
    for (let k = at(below.start, box); k < at(below.start, box + 1); k++) {
      const target = at(below.items, k);
      rank[target] = Math.max(at(rank, target), at(rank, box) + 1);
      if (bump(waiting, target, -1) === 1) order[filled++] = target;
    }
  }
  return { rank, order };
}

/** Move a box that has more users than sources down to its users: shorter edges. */
function pullDown(
  level: Level,
  below: Ragged,
  lower: Int32Array,
  rank: Int32Array,
  order: Int32Array,
): void {
  const inputs = new Int32Array(level.count);
  for (const box of lower) bump(inputs, box);
  for (let i = order.length - 1; i >= 0; i--) {
    const box = at(order, i);
    const start = at(below.start, box);
    const outputs = at(below.start, box + 1) - start;
    if (outputs === 0 || outputs < at(inputs, box) || byte(level.pin, box) !== Pin.FREE) continue;
    let nearest = Number.MAX_SAFE_INTEGER;
    let isToBottom = true;
    for (let k = start; k < start + outputs; k++) {
      const target = at(below.items, k);
      if (byte(level.pin, target) === Pin.BOTTOM) continue;
      isToBottom = false;
      nearest = Math.min(nearest, at(rank, target));
    }
    if (!isToBottom) rank[box] = nearest - 1;
  }
}

function pinBottom(level: Level, rank: Int32Array): number {
  let last = -1;
  let hasBottom = false;
  for (let box = 0; box < level.count; box++) {
    if (byte(level.pin, box) === Pin.BOTTOM) hasBottom = true;
    else last = Math.max(last, at(rank, box));
  }
  if (!hasBottom) return last + 1;
  for (let box = 0; box < level.count; box++)
    if (byte(level.pin, box) === Pin.BOTTOM) rank[box] = last + 1;
  return last + 2;
}
