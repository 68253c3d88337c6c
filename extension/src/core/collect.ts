/** Brings the arcs of all levels into one list. */

import { at, byte, real } from './arrays.js';
import { ARC_STRIDE, isTurned } from './layout.js';
import { isMerged, type Plan } from './plan.js';
import { ArcFlag, type Placed, type Scene } from './scene.js';

/** Moves arcs to their place in the scene and links them through the borders. */
export class ArcCollector {
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
      const isFirst = byte(layout.arcIsFirst, i) === 1;
      const isLast = byte(layout.arcIsLast, i) === 1;
      this.before[arc] = before < 0 ? -1 : first + before;
      if (isMerged(this.plan, to)) {
        // Pieces on the common way belong to no source, all lead to the one target.
        this.source[arc] = isFirst && from < boxCount ? from : -1;
        this.target[arc] = to < boxCount ? to : ports.end.get(to - boxCount);
      } else {
        this.source[arc] = from < boxCount ? from : ports.end.get(from - boxCount);
        if (before < 0 && from >= boxCount) this.startPort[arc] = from - boxCount;
        if (isLast && to < boxCount) this.target[arc] = to;
        if (isLast && to >= boxCount) this.arcIntoPort[to - boxCount] = arc;
      }
      if (isTurned(layout, i)) this.flags[arc] = ArcFlag.UPWARD;
      else this.reachBorder(arc, from, to, isFirst, isLast, group, borderTop, borderBottom);
      if (isLast && to < boxCount) this.flags[arc] = byte(this.flags, arc) | ArcFlag.LAST;
    }
    this.count += layout.arcEdge.length;
  }

  /** Draw a piece that starts or ends at this level's border out to the border itself. */
  private reachBorder(
    arc: number,
    from: number,
    to: number,
    isFirst: boolean,
    isLast: boolean,
    group: number,
    borderTop: number,
    borderBottom: number,
  ): void {
    const { boxCount, ports } = this.plan;
    const own = (entity: number) =>
      entity >= boxCount && ports.group.get(entity - boxCount) === group;
    const k = arc * ARC_STRIDE;
    if (isFirst && own(from) && !ports.isOutput.get(from - boxCount)) this.arcs[k + 1] = borderTop;
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
