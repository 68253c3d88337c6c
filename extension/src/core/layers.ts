/** The layered graph: every arc spans one layer, long edges pass through waypoints. */

import { at, byte, IntList, type Ragged, ragged } from './arrays.js';
import type { Level } from './layout.js';
import type { Ranking } from './rank.js';

/** What runs upwards keeps beside what runs down between the same boxes. */
const TURNED_OFFSET = 12;

/** Points are the boxes of the level, then the waypoints of long edges. */
export interface Layers {
  readonly boxCount: number;
  readonly count: number;
  readonly layerCount: number;
  readonly rank: Int32Array;
  readonly arcSource: Int32Array;
  readonly arcTarget: Int32Array;
  /** Where an arc leaves and arrives, from the point's centre. */
  readonly arcSourceX: Float64Array;
  readonly arcTargetX: Float64Array;
  /** An edge that the arc belongs to (edges of one trunk share arcs). */
  readonly arcEdge: Int32Array;
  /** The arc before it on the way from the edge's source; -1 for the first. */
  readonly arcBefore: Int32Array;
  /** Whether it ends its edge. */
  readonly arcIsLast: Uint8Array;
  readonly arcsDown: Ragged;
  readonly arcsUp: Ragged;
}

class Builder {
  readonly source = new IntList();
  readonly target = new IntList();
  readonly edge = new IntList();
  readonly before = new IntList();
  readonly isLast: number[] = [];
  readonly sourceX: number[] = [];
  readonly targetX: number[] = [];
  readonly waypointRank = new IntList();

  constructor(private readonly boxCount: number) {}

  waypoint(rank: number): number {
    return this.boxCount + this.waypointRank.push(rank);
  }

  arc(source: number, target: number, edge: number, before: number, sourceX = 0): number {
    this.source.push(source);
    this.target.push(target);
    this.before.push(before);
    this.isLast.push(0);
    this.sourceX.push(sourceX);
    this.targetX.push(0);
    return this.edge.push(edge);
  }
}

interface Trunk {
  readonly points: number[];
  readonly arcs: number[];
}

export function buildLayers(level: Level, ranking: Ranking): Layers {
  const builder = new Builder(level.count);
  const out = ragged(level.count, ranking.upper);
  const merging = new Map<number, number[]>();
  for (let box = 0; box < level.count; box++) {
    const trunks = new Map<number, Trunk>();
    for (let k = at(out.start, box); k < at(out.start, box + 1); k++) {
      const edge = at(out.items, k);
      if (byte(ranking.turned, edge)) addTurned(builder, level, ranking, edge);
      else if (at(level.merge, edge) >= 0) collect(merging, at(level.merge, edge), edge);
      else addEdge(builder, level, ranking, edge, trunks);
    }
  }
  for (const edges of merging.values()) addMerged(builder, level, ranking, edges);
  const count = level.count + builder.waypointRank.length;
  const rank = new Int32Array(count);
  rank.set(ranking.rank);
  rank.set(builder.waypointRank.toArray(), level.count);
  const arcSource = builder.source.toArray();
  const arcTarget = builder.target.toArray();
  return {
    boxCount: level.count,
    count,
    layerCount: ranking.layerCount,
    rank,
    arcSource,
    arcTarget,
    arcSourceX: Float64Array.from(builder.sourceX),
    arcTargetX: Float64Array.from(builder.targetX),
    arcEdge: builder.edge.toArray(),
    arcBefore: builder.before.toArray(),
    arcIsLast: Uint8Array.from(builder.isLast),
    arcsDown: ragged(count, arcSource),
    arcsUp: ragged(count, arcTarget),
  };
}

function addEdge(
  builder: Builder,
  level: Level,
  ranking: Ranking,
  edge: number,
  trunks: Map<number, Trunk>,
): void {
  const box = at(ranking.upper, edge);
  const rank = at(ranking.rank, box);
  const steps = at(ranking.rank, at(ranking.lower, edge)) - rank - 1;
  const key = at(level.trunk, edge);
  const trunk = trunks.get(key) ?? { points: [box], arcs: [-1] };
  trunks.set(key, trunk);
  const sourceX = level.sourceX[edge] ?? 0;
  for (let step = trunk.points.length; step <= steps; step++) {
    const above = trunk.points[step - 1] ?? box;
    const point = builder.waypoint(rank + step);
    trunk.arcs.push(
      builder.arc(above, point, edge, trunk.arcs[step - 1] ?? -1, step === 1 ? sourceX : 0),
    );
    trunk.points.push(point);
  }
  const above = trunk.points[steps] ?? box;
  const last = builder.arc(
    above,
    at(ranking.lower, edge),
    edge,
    trunk.arcs[steps] ?? -1,
    steps === 0 ? sourceX : 0,
  );
  builder.targetX[last] = level.targetX[edge] ?? 0;
  builder.isLast[last] = 1;
}

function collect(lists: Map<number, number[]>, key: number, edge: number): void {
  const list = lists.get(key);
  if (list) list.push(edge);
  else lists.set(key, [edge]);
}

/** Many edges into one box: one way down to it, which each joins in the layer below its source. */
function addMerged(
  builder: Builder,
  level: Level,
  ranking: Ranking,
  edges: readonly number[],
): void {
  const [first = 0] = edges;
  const target = at(ranking.lower, first);
  const last = at(ranking.rank, target);
  const top = edges.reduce(
    (least, edge) => Math.min(least, at(ranking.rank, at(ranking.upper, edge))),
    last,
  );
  const points = new Map<number, number>([[last, target]]);
  for (let rank = last - 1; rank > top; rank--) {
    const point = builder.waypoint(rank);
    join(builder, level, points, first, point, rank);
    points.set(rank, point);
  }
  for (const edge of edges) {
    const source = at(ranking.upper, edge);
    const arc = join(builder, level, points, edge, source, at(ranking.rank, source));
    builder.sourceX[arc] = level.sourceX[edge] ?? 0;
  }
}

function join(
  builder: Builder,
  level: Level,
  points: ReadonlyMap<number, number>,
  edge: number,
  from: number,
  rank: number,
): number {
  const to = points.get(rank + 1) ?? from;
  const arc = builder.arc(from, to, edge, -1);
  if (to < level.count) {
    builder.isLast[arc] = 1;
    builder.targetX[arc] = level.targetX[edge] ?? 0;
  }
  return arc;
}

/** An edge that runs upwards has a way of its own; its last arc is the uppermost. */
function addTurned(builder: Builder, level: Level, ranking: Ranking, edge: number): void {
  const top = at(ranking.upper, edge);
  const bottom = at(ranking.lower, edge);
  const rank = at(ranking.rank, top);
  const steps = at(ranking.rank, bottom) - rank;
  let above = top;
  let arc = -1;
  for (let step = 1; step <= steps; step++) {
    const point = step === steps ? bottom : builder.waypoint(rank + step);
    const arrival = (level.targetX[edge] ?? 0) + TURNED_OFFSET;
    arc = builder.arc(above, point, edge, -1, step === 1 ? arrival : 0);
    if (step > 1) builder.before.set(arc - 1, arc);
    else builder.isLast[arc] = 1;
    above = point;
  }
  builder.targetX[arc] = (level.sourceX[edge] ?? 0) + TURNED_OFFSET;
}
