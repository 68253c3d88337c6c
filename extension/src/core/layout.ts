/**
 * A layered layout in linear time: turn cycles, longest path with pull-down, shared trunks for long
 * edges, median sweeps, Brandes and Köpf. One level at a time: the boxes within one opened group.
 */

import { at, byte, real } from './arrays.js';
import { buildLayers, type Layers } from './layers.js';
import { type Order, orderPoints } from './order.js';
import { placePoints } from './position.js';
import { rankBoxes } from './rank.js';

const LAYER_GAP = 26;
/** To and from the border of a group. */
const BORDER_GAP = 12;
const WIDE_LAYER_GAP = 64;
/** Numbers per arc in `LevelLayout.arcs`: x0 y0 y1 x2 y2 y3, see `Scene.arcs`. */
export const ARC_STRIDE = 6;

/** Boxes and edges of one level; edges of a source with equal `trunk` share their way. */
export interface Level {
  readonly count: number;
  readonly width: Float64Array;
  readonly height: Float64Array;
  readonly pin: Uint8Array;
  readonly source: Int32Array;
  readonly target: Int32Array;
  /** Where an edge leaves and arrives, from the box's centre. */
  readonly sourceX: Float64Array;
  readonly targetX: Float64Array;
  readonly trunk: Int32Array;
  /** Edges with equal numbers of 0 or more run together into their common target. */
  readonly merge: Int32Array;
}

export interface LevelLayout {
  readonly width: number;
  readonly height: number;
  /** Centres of the boxes. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly arcs: Float64Array;
  readonly arcEdge: Int32Array;
  readonly arcBefore: Int32Array;
  readonly arcIsLast: Uint8Array;
  /** Whether an arc starts at a box, not on the way. */
  readonly arcIsFirst: Uint8Array;
  readonly turned: Uint8Array;
}

export function layoutLevel(level: Level): LevelLayout {
  const ranking = rankBoxes(level);
  const layers = buildLayers(level, ranking);
  const width = new Float64Array(layers.count);
  width.set(level.width);
  const order = orderPoints(layers, width, ranking.order);
  const x = placePoints(layers, order, width);
  const rows = placeRows(level, layers, order, x);
  const y = new Float64Array(level.count);
  let right = 0;
  for (let box = 0; box < level.count; box++) {
    const rank = at(layers.rank, box);
    y[box] = real(rows.top, rank) + real(rows.height, rank) / 2;
  }
  for (let point = 0; point < x.length; point++)
    right = Math.max(right, real(x, point) + real(width, point) / 2);
  return {
    width: right,
    height: rows.bottom,
    x: x.slice(0, level.count),
    y,
    arcs: routeArcs(level, layers, rows, x, y),
    arcEdge: layers.arcEdge,
    arcBefore: layers.arcBefore,
    arcIsLast: layers.arcIsLast,
    arcIsFirst: Uint8Array.from(layers.arcSource, (point) => (point < level.count ? 1 : 0)),
    turned: ranking.turned,
  };
}

interface Rows {
  readonly top: Float64Array;
  readonly height: Float64Array;
  readonly bottom: number;
}

/** Stack the layers; edges that travel far sideways get more room. */
function placeRows(level: Level, layers: Layers, order: Order, x: Float64Array): Rows {
  const height = new Float64Array(layers.layerCount);
  const travel = new Float64Array(layers.layerCount);
  for (let box = 0; box < level.count; box++) {
    const rank = at(layers.rank, box);
    height[rank] = Math.max(real(height, rank), real(level.height, box));
  }
  for (let arc = 0; arc < layers.arcSource.length; arc++) {
    const rank = at(layers.rank, at(layers.arcSource, arc));
    const from = real(x, at(layers.arcSource, arc)) + real(layers.arcSourceX, arc);
    const to = real(x, at(layers.arcTarget, arc)) + real(layers.arcTargetX, arc);
    travel[rank] = Math.max(real(travel, rank), Math.abs(to - from));
  }
  const top = new Float64Array(layers.layerCount);
  let y = 0;
  let bottom = 0;
  for (let r = 0; r + 1 < order.start.length; r++) {
    top[r] = y;
    bottom = y + real(height, r);
    const isBorder =
      real(height, r) === 0 || real(height, Math.min(r + 1, layers.layerCount - 1)) === 0;
    y =
      bottom + Math.min(WIDE_LAYER_GAP, (isBorder ? BORDER_GAP : LAYER_GAP) + real(travel, r) / 24);
  }
  return { top, height, bottom };
}

function routeArcs(
  level: Level,
  layers: Layers,
  rows: Rows,
  x: Float64Array,
  y: Float64Array,
): Float64Array {
  const arcs = new Float64Array(layers.arcSource.length * ARC_STRIDE);
  for (let arc = 0; arc < layers.arcSource.length; arc++) {
    const source = at(layers.arcSource, arc);
    const target = at(layers.arcTarget, arc);
    const above = at(layers.rank, source);
    const below = at(layers.rank, target);
    const isBox = source < level.count;
    const endsInBox = target < level.count;
    const k = arc * ARC_STRIDE;
    arcs[k] = real(x, source) + real(layers.arcSourceX, arc);
    arcs[k + 1] = isBox ? real(y, source) + real(level.height, source) / 2 : real(rows.top, above);
    arcs[k + 2] = real(rows.top, above) + real(rows.height, above);
    arcs[k + 3] = real(x, target) + real(layers.arcTargetX, arc);
    arcs[k + 4] = real(rows.top, below);
    arcs[k + 5] = endsInBox
      ? real(y, target) - real(level.height, target) / 2
      : real(rows.top, below);
  }
  return arcs;
}

/** Whether an arc of a layout belongs to an edge that runs upwards. */
export function isTurned(layout: LevelLayout, arc: number): boolean {
  return byte(layout.turned, at(layout.arcEdge, arc)) === 1;
}
