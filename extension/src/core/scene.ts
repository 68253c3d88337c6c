/** The whole picture: every opened group laid out as its own level, inner levels first. */

import { at, byte, IntList, real } from './arrays.js';
import { ArcCollector } from './collect.js';
import { type Level, type LevelLayout, layoutLevel } from './layout.js';
import { isMerged, type LevelEdges, makePlan, type Plan } from './plan.js';
import { Pin } from './rank.js';
import type { VisibleGraph } from './visible.js';

/** Height of the title of an opened group, and the room around its content. */
export const TITLE_HEIGHT = 24;
const GROUP_PADDING = 14;
const PORT_WIDTH = 10;

export const ArcFlag = { LAST: 1, UPWARD: 2 } as const;

/** Places in scene units (CSS pixels at zoom 1); all columns are per box or per arc. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** Upper left corners and sizes. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly w: Float64Array;
  readonly h: Float64Array;
  /**
   * Six numbers an arc: x0 y0 y1 x2 y2 y3. It goes straight from (x0, y0) to (x0, y1), curves to
   * (x2, y2), and goes straight to (x2, y3).
   */
  readonly arcs: Float64Array;
  /** The box where the data comes from, and the box where it ends; -1 for a piece on the way. */
  readonly arcSource: Int32Array;
  readonly arcTarget: Int32Array;
  /** The arc before it on the way from the source; -1 for the first. */
  readonly arcBefore: Int32Array;
  readonly arcFlags: Uint8Array;
}

export interface Placed {
  readonly layout: LevelLayout;
  readonly edges: LevelEdges;
  /** Box or port per layout position. */
  readonly entity: Int32Array;
}

/** Lay out a visible graph; yields between levels so that a caller can pause or stop. */
export function* sceneSteps(graph: VisibleGraph): Generator<void, Scene> {
  const plan = makePlan(graph);
  const w = graph.width.slice();
  const h = graph.height.slice();
  const portX = new Float64Array(plan.ports.group.length);
  const placed = new Map<number, Placed>();
  // A group precedes its content: backwards, every level is known before the one around it.
  for (let box = plan.boxCount - 1; box >= 0; box--) {
    if (!byte(graph.isOpen, box)) continue;
    const level = placeLevel(plan, box, w, h, portX);
    placed.set(box, level);
    w[box] = Math.max(real(w, box), level.layout.width + 2 * GROUP_PADDING);
    h[box] = level.layout.height + TITLE_HEIGHT + GROUP_PADDING;
    centrePorts(plan, box, real(w, box) - level.layout.width, portX);
    yield;
  }
  placed.set(plan.boxCount, placeLevel(plan, plan.boxCount, w, h, portX));
  return assemble(plan, placed, w, h);
}

export function layoutScene(graph: VisibleGraph): Scene {
  const steps = sceneSteps(graph);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function placeLevel(
  plan: Plan,
  group: number,
  w: Float64Array,
  h: Float64Array,
  portX: Float64Array,
): Placed {
  const { boxCount, members, portsOf, ports } = plan;
  const boxes = members.items.subarray(at(members.start, group), at(members.start, group + 1));
  const border = portsOf.items.subarray(at(portsOf.start, group), at(portsOf.start, group + 1));
  const entity = new Int32Array(boxes.length + border.length);
  entity.set(boxes);
  entity.set(
    border.map((port) => port + boxCount),
    boxes.length,
  );
  const local = new Map<number, number>();
  entity.forEach((e, i) => {
    local.set(e, i);
  });
  const width = new Float64Array(entity.length).fill(PORT_WIDTH);
  const height = new Float64Array(entity.length);
  const pin = new Uint8Array(entity.length);
  boxes.forEach((box, i) => {
    width[i] = real(w, box);
    height[i] = real(h, box);
  });
  border.forEach((port, i) => {
    pin[boxes.length + i] = ports.isOutput.get(port) ? Pin.BOTTOM : Pin.TOP;
  });
  const edges = plan.levels.get(group) ?? { from: new IntList(), to: new IntList() };
  const layout = layoutLevel({
    count: entity.length,
    width,
    height,
    pin,
    ...localEdges(plan, edges, local, w, portX),
  });
  border.forEach((port, i) => {
    portX[port] = real(layout.x, boxes.length + i);
  });
  return { layout, edges, entity };
}

type LocalEdges = Pick<Level, 'source' | 'target' | 'sourceX' | 'targetX' | 'trunk' | 'merge'>;

function localEdges(
  plan: Plan,
  edges: LevelEdges,
  local: Map<number, number>,
  w: Float64Array,
  portX: Float64Array,
): LocalEdges {
  const count = edges.from.length;
  const source = new Int32Array(count);
  const target = new Int32Array(count);
  const sourceX = new Float64Array(count);
  const targetX = new Float64Array(count);
  /** An edge at the port of an inner group attaches to that group's box, off its centre. */
  const attach = (entity: number, index: number, ends: Int32Array, offset: Float64Array) => {
    const own = local.get(entity);
    const port = entity - plan.boxCount;
    const box = own === undefined ? plan.ports.group.get(port) : -1;
    ends[index] = own ?? local.get(box) ?? 0;
    if (own === undefined) offset[index] = real(portX, port) - real(w, box) / 2;
  };
  for (let e = 0; e < count; e++) {
    attach(edges.from.get(e), e, source, sourceX);
    attach(edges.to.get(e), e, target, targetX);
  }
  const merge = Int32Array.from(target, (_, e) =>
    isMerged(plan, edges.to.get(e)) ? edges.to.get(e) : -1,
  );
  return { source, target, sourceX, targetX, trunk: edges.from.toArray(), merge };
}

/** From places in the level to places in the group's box. */
function centrePorts(plan: Plan, group: number, spare: number, portX: Float64Array): void {
  for (let k = at(plan.portsOf.start, group); k < at(plan.portsOf.start, group + 1); k++) {
    const port = at(plan.portsOf.items, k);
    portX[port] = real(portX, port) + spare / 2;
  }
}

function assemble(
  plan: Plan,
  placed: Map<number, Placed>,
  w: Float64Array,
  h: Float64Array,
): Scene {
  const { boxCount } = plan;
  const x = new Float64Array(boxCount);
  const y = new Float64Array(boxCount);
  const arcs = new ArcCollector(
    plan,
    [...placed.values()].reduce((sum, p) => sum + p.layout.arcEdge.length, 0),
  );
  const root = placed.get(boxCount);
  for (let group = -1; group < boxCount; group++) {
    const level = placed.get(group < 0 ? boxCount : group);
    if (!level) continue;
    const left = group < 0 ? 0 : real(x, group) + (real(w, group) - level.layout.width) / 2;
    const top = group < 0 ? 0 : real(y, group) + TITLE_HEIGHT;
    level.entity.forEach((box, i) => {
      if (box >= boxCount) return;
      x[box] = left + real(level.layout.x, i) - real(w, box) / 2;
      y[box] = top + real(level.layout.y, i) - real(h, box) / 2;
    });
    arcs.add(
      level,
      group,
      left,
      top,
      top - TITLE_HEIGHT,
      group < 0 ? 0 : real(y, group) + real(h, group),
    );
  }
  return {
    width: root?.layout.width ?? 0,
    height: root?.layout.height ?? 0,
    x,
    y,
    w,
    h,
    ...arcs.finish(),
  };
}
