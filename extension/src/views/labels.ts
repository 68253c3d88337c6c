/** Types and shapes beside edges: only where nothing else is, so that no text stands on a line or text. */

import { at, byte, real } from '../core/arrays.js';
import { type Graph, typeOf } from '../core/document.js';
import { oneLine } from '../core/format.js';
import { ARC_STRIDE } from '../core/layout.js';
import { ArcFlag } from '../core/scene.js';
import type { Drawing } from '../core/store.js';
import type { View } from './marks.js';
import type { Picture } from './picture.js';

export interface EdgeLabel {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const FONT_PX = 9.5;
const GLYPH_PX = FONT_PX * 0.62;
const LONGEST = 36;
const LEAST_GAP = 18;
const LEAST_ZOOM = 0.75;
const BESIDE = 6;
/** In a crowded gap nothing is labelled. */
const MOST_ARCS = 48;

/** The labels of straight edges between neighbouring layers, where there is room to their right. */
export function edgeLabels(graph: Graph, drawing: Drawing): EdgeLabel[] {
  const { scene } = drawing;
  const values = valuesOfEdges(drawing);
  const labels: EdgeLabel[] = [];
  for (const arcs of gapsOf(drawing)) {
    if (arcs.length > MOST_ARCS) continue;
    const taken = arcs.map((arc) => spanOf(drawing, arc));
    for (const arc of arcs) {
      const value =
        values.get(at(scene.arcSource, arc) * scene.x.length + at(scene.arcTarget, arc)) ?? -1;
      if (value < 0 || !isPlain(drawing, arc)) continue;
      const text = oneLine(typeOf(graph, value));
      if (!text || text.length > LONGEST) continue;
      const k = arc * ARC_STRIDE;
      const left = real(scene.arcs, k) + BESIDE;
      const right = left + text.length * GLYPH_PX;
      if (
        right > rightBorder(drawing, arc) ||
        taken.some(([a, b]) => a < right + BESIDE && b > left - 2)
      )
        continue;
      taken.push([left, right]);
      labels.push({ text, x: left, y: (real(scene.arcs, k + 2) + real(scene.arcs, k + 4)) / 2 });
    }
  }
  return labels;
}

/** Per source and target: the value of the edge, where it is the only one. */
function valuesOfEdges({ graph, scene }: Drawing): Map<number, number> {
  const values = new Map<number, number>();
  graph.edgeSource.forEach((source, e) => {
    if (at(graph.edgeCount, e) > 1) return;
    values.set(source * scene.x.length + at(graph.edgeTarget, e), at(graph.edgeValue, e));
  });
  return values;
}

/** Arcs by the gap between layers that they cross. */
function gapsOf({ scene }: Drawing): Iterable<number[]> {
  const gaps = new Map<string, number[]>();
  for (let arc = 0; arc < scene.arcSource.length; arc++) {
    const top = real(scene.arcs, arc * ARC_STRIDE + 2);
    const bottom = real(scene.arcs, arc * ARC_STRIDE + 4);
    if (bottom - top < LEAST_GAP) continue;
    const key = `${top} ${bottom}`;
    const gap = gaps.get(key);
    if (gap) gap.push(arc);
    else gaps.set(key, [arc]);
  }
  return gaps.values();
}

/** An arc that is a whole edge, straight down from box to box. */
function isPlain({ scene }: Drawing, arc: number): boolean {
  const k = arc * ARC_STRIDE;
  const isStraight = Math.abs(real(scene.arcs, k) - real(scene.arcs, k + 3)) < 1;
  return isStraight && at(scene.arcBefore, arc) < 0 && byte(scene.arcFlags, arc) === ArcFlag.LAST;
}

function spanOf({ scene }: Drawing, arc: number): [number, number] {
  const k = arc * ARC_STRIDE;
  const a = real(scene.arcs, k);
  const b = real(scene.arcs, k + 3);
  return [Math.min(a, b), Math.max(a, b)];
}

function rightBorder({ graph, scene }: Drawing, arc: number): number {
  const group = at(graph.parent, at(scene.arcTarget, arc));
  return group < 0
    ? Number.POSITIVE_INFINITY
    : real(scene.x, group) + real(scene.w, group) - BESIDE;
}

export function paintLabels(ctx: CanvasRenderingContext2D, view: View, picture: Picture): void {
  if (view.zoom < LEAST_ZOOM) return;
  ctx.font = `${FONT_PX}px ${picture.theme.codeFont}`;
  ctx.textAlign = 'left';
  ctx.fillStyle = picture.theme.muted;
  for (const { text, x, y } of picture.labels()) {
    if (y < view.top || y > view.bottom || x > view.right || x + LONGEST * GLYPH_PX < view.left)
      continue;
    ctx.fillText(text, x, y);
  }
}
