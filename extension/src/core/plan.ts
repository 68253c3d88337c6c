/** Cuts the edges of a visible graph at the borders of its opened groups: what each level has to lay out. */

import { at, byte, IntList, type Ragged, ragged } from './arrays.js';
import type { VisibleGraph } from './visible.js';

/** An edge within one level, between boxes (their number) or border ports (boxes + port number). */
export interface LevelEdges {
  readonly from: IntList;
  readonly to: IntList;
}

/** Where an edge passes the border of an opened group. */
export interface BorderPorts {
  readonly group: IntList;
  /** The box where the data comes from; where edges run together, the one they run into. */
  readonly end: IntList;
  readonly isOutput: IntList;
}

export interface Plan {
  readonly graph: VisibleGraph;
  readonly boxCount: number;
  readonly members: Ragged;
  /** Per opened group, and for the root at `boxCount`. */
  readonly levels: ReadonlyMap<number, LevelEdges>;
  readonly ports: BorderPorts;
  readonly portsOf: Ragged;
}

export function makePlan(graph: VisibleGraph): Plan {
  const boxCount = graph.item.length;
  const ports: BorderPorts = {
    group: new IntList(),
    end: new IntList(),
    isOutput: new IntList(),
  };
  const levels = new Map<number, LevelEdges>();
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
    private readonly levels: Map<number, LevelEdges>,
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
    const isMerged = byte(this.graph.isSink, target) === 1;
    const leave = () => {
      const group = at(parent, a);
      const port = this.port(group, isMerged ? target : source, 1);
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

  private port(group: number, end: number, isOutput: number): number {
    const boxes = this.graph.item.length;
    const key = (group * boxes + end) * 2 + isOutput;
    let port = this.known.get(key);
    if (port === undefined) {
      port = boxes + this.ports.group.push(group);
      this.ports.end.push(end);
      this.ports.isOutput.push(isOutput);
      this.known.set(key, port);
    }
    return port;
  }

  private piece(group: number, from: number, to: number): void {
    const key = from * 4_194_304 + to;
    if (this.pieces.has(key)) return;
    this.pieces.add(key);
    const owner = group < 0 ? this.graph.item.length : group;
    let level = this.levels.get(owner);
    if (!level) {
      level = { from: new IntList(), to: new IntList() };
      this.levels.set(owner, level);
    }
    level.from.push(from);
    level.to.push(to);
  }
}

/** Whether the edges to a box or port run together: to a sink, or out of a group towards one. */
export function isMerged({ boxCount, graph, ports }: Plan, to: number): boolean {
  if (to < boxCount) return byte(graph.isSink, to) === 1;
  const port = to - boxCount;
  return ports.isOutput.get(port) === 1 && byte(graph.isSink, ports.end.get(port)) === 1;
}
