/** The whole picture: every opened group laid out as its own level, inner levels first. */

import { at, byte, IntList, type Ragged, ragged, real } from './arrays.js';
import { ARC_STRIDE, isTurned, type Level, type LevelLayout, layoutLevel } from './layout.js';
import { Pin } from './rank.js';
import type { VisibleGraph } from './visible.js';

/** Height of the title of an opened group, and the room around its content. */
export const TITLE_HEIGHT = 24;
export const GROUP_PADDING = 14;
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
  /** The box where the data comes from, and the box where the arc ends (-1 for a piece on the way). */
  readonly arcSource: Int32Array;
  readonly arcTarget: Int32Array;
  /** The arc before it on the way from the source; -1 for the first. */
  readonly arcBefore: Int32Array;
  readonly arcFlags: Uint8Array;
}

/** An edge within one level, between boxes (their number) or border ports (boxes + port number). */
interface LevelEdges {
  readonly from: IntList;
  readonly to: IntList;
}

/** Where an edge passes the border of an opened group. */
interface BorderPorts {
  readonly group: IntList;
  /** The box where the data comes from. */
  readonly source: IntList;
  readonly isOutput: IntList;
}

interface Plan {
  readonly graph: VisibleGraph;
  readonly boxCount: number;
  readonly members: Ragged;
  readonly levels: LevelEdges[];
  readonly ports: BorderPorts;
  readonly portsOf: Ragged;
}

interface Placed {
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

function makePlan(graph: VisibleGraph): Plan {
  const boxCount = graph.item.length;
  const ports: BorderPorts = {
    group: new IntList(),
    source: new IntList(),
    isOutput: new IntList(),
  };
  const levels: LevelEdges[] = [];
  for (let box = 0; box <= boxCount; box++) levels.push({ from: new IntList(), to: new IntList() });
  const builder = new EdgeSplitter(graph, ports, levels);
  for (let e = 0; e < graph.edgeSource.length; e++)
    builder.add(at(graph.edgeSource, e), at(graph.edgeTarget, e));
  const parents = graph.parent.map((box) => (box < 0 ? boxCount : box));
  return {
    graph,
    boxCount,
    members: ragged(boxCount + 1, parents),
    levels,
    ports,
    portsOf: ragged(boxCount + 1, ports.group.toArray()),
  };
}

/** Cuts each edge at the borders it passes: one piece per level, pieces of one source merged. */
class EdgeSplitter {
  private readonly depth: Int32Array;
  private readonly known = new Map<number, number>();
  private readonly pieces = new Set<number>();

  constructor(
    private readonly graph: VisibleGraph,
    private readonly ports: BorderPorts,
    private readonly levels: LevelEdges[],
  ) {
    this.depth = new Int32Array(graph.item.length);
    graph.parent.forEach((parent, box) => {
      if (parent >= 0) this.depth[box] = at(this.depth, parent) + 1;
    });
  }

  add(source: number, target: number): void {
    const { parent } = this.graph;
    let a = source;
    let b = target;
    let from = source;
    let to = target;
    const leave = () => {
      const group = at(parent, a);
      const port = this.port(group, source, 1);
      this.piece(group, from, port);
      from = port;
      a = group;
    };
    const enter = () => {
      const group = at(parent, b);
      const port = this.port(group, source, 0);
      this.piece(group, port, to);
      to = port;
      b = group;
    };
    while (at(this.depth, a) > at(this.depth, b)) leave();
    while (at(this.depth, b) > at(this.depth, a)) enter();
    while (at(parent, a) !== at(parent, b)) {
      leave();
      enter();
    }
    this.piece(at(parent, a), from, to);
  }

  private port(group: number, source: number, isOutput: number): number {
    const boxes = this.graph.item.length;
    const key = (group * boxes + source) * 2 + isOutput;
    let port = this.known.get(key);
    if (port === undefined) {
      port = boxes + this.ports.group.push(group);
      this.ports.source.push(source);
      this.ports.isOutput.push(isOutput);
      this.known.set(key, port);
    }
    return port;
  }

  private piece(group: number, from: number, to: number): void {
    const key = from * 4_194_304 + to;
    if (this.pieces.has(key)) return;
    this.pieces.add(key);
    const level = this.levels[group < 0 ? this.graph.item.length : group];
    level?.from.push(from);
    level?.to.push(to);
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
  const edges = plan.levels[group] ?? { from: new IntList(), to: new IntList() };
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

type LocalEdges = Pick<Level, 'source' | 'target' | 'sourceX' | 'targetX' | 'trunk'>;

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
  return { source, target, sourceX, targetX, trunk: edges.from.toArray() };
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

/** Brings the arcs of all levels into one list and links them through the borders. */
class ArcCollector {
  private readonly arcs: Float64Array;
  private readonly source: Int32Array;
  private readonly target: Int32Array;
  private readonly before: Int32Array;
  private readonly flags: Uint8Array;
  private readonly arcIntoPort: Int32Array;
  private readonly startPort: Int32Array;
  private count = 0;

  constructor(
    private readonly plan: Plan,
    total: number,
  ) {
    this.arcs = new Float64Array(total * ARC_STRIDE);
    this.source = new Int32Array(total);
    this.target = new Int32Array(total).fill(-1);
    this.before = new Int32Array(total).fill(-1);
    this.flags = new Uint8Array(total);
    this.startPort = new Int32Array(total).fill(-1);
    this.arcIntoPort = new Int32Array(plan.ports.group.length).fill(-1);
  }

  add(
    level: Placed,
    group: number,
    left: number,
    top: number,
    borderTop: number,
    borderBottom: number,
  ): void {
    const { layout, edges } = level;
    const { boxCount, ports } = this.plan;
    const first = this.count;
    for (let i = 0; i < layout.arcEdge.length; i++) {
      const arc = first + i;
      const k = i * ARC_STRIDE;
      const out = arc * ARC_STRIDE;
      for (let n = 0; n < ARC_STRIDE; n++) {
        this.arcs[out + n] = real(layout.arcs, k + n) + (n === 0 || n === 3 ? left : top);
      }
      const from = edges.from.get(at(layout.arcEdge, i));
      const to = edges.to.get(at(layout.arcEdge, i));
      const before = at(layout.arcBefore, i);
      this.before[arc] = before < 0 ? -1 : first + before;
      this.source[arc] = from < boxCount ? from : ports.source.get(from - boxCount);
      if (before < 0 && from >= boxCount) this.startPort[arc] = from - boxCount;
      if (isTurned(layout, i)) this.flags[arc] = ArcFlag.UPWARD;
      else
        this.reachBorder(
          arc,
          from,
          to,
          byte(layout.arcIsLast, i) === 1,
          group,
          borderTop,
          borderBottom,
        );
      if (!byte(layout.arcIsLast, i)) continue;
      if (to < boxCount) {
        this.target[arc] = to;
        this.flags[arc] = byte(this.flags, arc) | ArcFlag.LAST;
      } else this.arcIntoPort[to - boxCount] = arc;
    }
    this.count += layout.arcEdge.length;
  }

  /** Draw a piece that starts or ends at this level's border out to the border itself. */
  private reachBorder(
    arc: number,
    from: number,
    to: number,
    isLast: boolean,
    group: number,
    borderTop: number,
    borderBottom: number,
  ): void {
    const { boxCount, ports } = this.plan;
    const own = (entity: number) =>
      entity >= boxCount && ports.group.get(entity - boxCount) === group;
    const k = arc * ARC_STRIDE;
    if (at(this.before, arc) < 0 && own(from) && !ports.isOutput.get(from - boxCount))
      this.arcs[k + 1] = borderTop;
    if (isLast && own(to) && ports.isOutput.get(to - boxCount)) this.arcs[k + 5] = borderBottom;
  }

  finish(): Pick<Scene, 'arcs' | 'arcSource' | 'arcTarget' | 'arcBefore' | 'arcFlags'> {
    for (let arc = 0; arc < this.count; arc++) {
      const port = at(this.startPort, arc);
      if (port >= 0) this.before[arc] = at(this.arcIntoPort, port);
    }
    return {
      arcs: this.arcs,
      arcSource: this.source,
      arcTarget: this.target,
      arcBefore: this.before,
      arcFlags: this.flags,
    };
  }
}
