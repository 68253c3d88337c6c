/** Paints the ways that data takes between boxes. */

import { at, byte, real } from '../core/arrays.js';
import { ARC_STRIDE } from '../core/layout.js';
import { ArcFlag } from '../core/scene.js';
import type { View } from './marks.js';
import type { Picture } from './picture.js';

const ARROW = 5;
const LEAST_CURVE_ZOOM = 0.15;
const LEAST_ARROW_ZOOM = 0.3;
/** Below this, edges would be a grey haze: only those of the focused box are drawn. */
const LEAST_EDGE_ZOOM = 0.06;
/** An edge that goes further sideways shows its two ends only, until it is lit. */
const FURTHEST = 4000;
const STUB = 60;

export function paintArcs(ctx: CanvasRenderingContext2D, view: View, picture: Picture): void {
  const { lit } = picture;
  if (view.zoom >= LEAST_EDGE_ZOOM) {
    const plain = sort(view, picture, (arc) => !lit || byte(lit, arc) === 0);
    paintSet(ctx, view, picture, plain, false);
  }
  if (!lit) return;
  const bright = sort(view, picture, (arc) => byte(lit, arc) === 1);
  paintSet(ctx, view, picture, bright, true);
}

interface Sorted {
  readonly down: number[];
  /** Arcs of edges that run upwards, against the order of the graph: drawn dashed. */
  readonly up: number[];
}

/** The arcs on screen that are wanted. */
function sort(
  view: View,
  { drawing: { scene } }: Picture,
  isWanted: (arc: number) => boolean,
): Sorted {
  const down: number[] = [];
  const up: number[] = [];
  const { arcs } = scene;
  for (let arc = 0; arc < scene.arcSource.length; arc++) {
    const k = arc * ARC_STRIDE;
    if (real(arcs, k + 1) > view.bottom || real(arcs, k + 5) < view.top || !isWanted(arc)) continue;
    const x0 = real(arcs, k);
    const x2 = real(arcs, k + 3);
    if (Math.min(x0, x2) > view.right || Math.max(x0, x2) < view.left) continue;
    if (byte(scene.arcFlags, arc) & ArcFlag.UPWARD) up.push(arc);
    else down.push(arc);
  }
  return { down, up };
}

function paintSet(
  ctx: CanvasRenderingContext2D,
  view: View,
  { drawing: { scene }, theme }: Picture,
  { down, up }: Sorted,
  isLit: boolean,
): void {
  const colour = isLit ? theme.accent : theme.edge;
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(1.1, 0.7 / view.zoom) * (isLit ? 1.7 : 1);
  for (const arcs of [down, up]) {
    ctx.setLineDash(arcs === up ? [5, 4] : []);
    ctx.beginPath();
    for (const arc of arcs) trace(ctx, view, scene.arcs, arc * ARC_STRIDE, isLit);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  if (view.zoom < LEAST_ARROW_ZOOM) return;
  const isLast = (arc: number) => (byte(scene.arcFlags, arc) & ArcFlag.LAST) !== 0;
  paintArrows(ctx, scene, [...down, ...up].filter(isLast), colour);
}

function trace(
  ctx: CanvasRenderingContext2D,
  view: View,
  arcs: Float64Array,
  k: number,
  isLit: boolean,
): void {
  const x0 = real(arcs, k);
  const y1 = real(arcs, k + 2);
  const x2 = real(arcs, k + 3);
  const y2 = real(arcs, k + 4);
  ctx.moveTo(x0, real(arcs, k + 1));
  ctx.lineTo(x0, y1);
  if (view.zoom < LEAST_CURVE_ZOOM || Math.abs(x2 - x0) < 0.5) ctx.lineTo(x2, y2);
  else if (!isLit && Math.abs(x2 - x0) > FURTHEST) stubs(ctx, x0, y1, x2, y2);
  else ctx.bezierCurveTo(x0, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2);
  ctx.lineTo(x2, real(arcs, k + 5));
}

function stubs(
  ctx: CanvasRenderingContext2D,
  x0: number,
  y1: number,
  x2: number,
  y2: number,
): void {
  const reach = Math.sign(x2 - x0) * STUB;
  const middle = (y1 + y2) / 2;
  ctx.quadraticCurveTo(x0, middle, x0 + reach, middle);
  ctx.moveTo(x2 - reach, middle);
  ctx.quadraticCurveTo(x2, middle, x2, y2);
}

function paintArrows(
  ctx: CanvasRenderingContext2D,
  scene: Picture['drawing']['scene'],
  arrows: number[],
  colour: string,
): void {
  ctx.beginPath();
  for (const arc of arrows) {
    const k = arc * ARC_STRIDE;
    const isUpward = (byte(scene.arcFlags, arc) & ArcFlag.UPWARD) !== 0;
    const x = real(scene.arcs, isUpward ? k : k + 3);
    const y = real(scene.arcs, isUpward ? k + 1 : k + 5);
    const back = isUpward ? ARROW * 1.3 : -ARROW * 1.3;
    ctx.moveTo(x, y);
    ctx.lineTo(x - ARROW * 0.7, y + back);
    ctx.lineTo(x + ARROW * 0.7, y + back);
    ctx.closePath();
  }
  ctx.fillStyle = colour;
  ctx.fill();
}

/** The boxes that take a box's data, or from which it takes data. */
export function neighboursOf(
  scene: Picture['drawing']['scene'],
  box: number,
  isDown: boolean,
): number[] {
  const found = new Set<number>();
  for (let arc = 0; arc < scene.arcSource.length; arc++) {
    const target = at(scene.arcTarget, arc);
    const source = at(scene.arcSource, arc);
    if (target < 0 || source < 0) continue;
    if (isDown && source === box) found.add(target);
    if (!isDown && target === box) found.add(source);
  }
  return [...found];
}
