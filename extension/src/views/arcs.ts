/** Paints the ways that data takes between boxes. */

import { at, byte, real } from '../core/arrays.js';
import { ARC_STRIDE } from '../core/layout.js';
import { ArcFlag } from '../core/scene.js';
import type { View } from './marks.js';
import type { Picture } from './picture.js';

const ARROW = 5;
const LEAST_CURVE_ZOOM = 0.15;
const LEAST_ARROW_ZOOM = 0.3;

export function paintArcs(ctx: CanvasRenderingContext2D, view: View, picture: Picture): void {
  const { theme, lit } = picture;
  const thin = Math.max(1.1, 0.7 / view.zoom);
  paintSet(ctx, view, picture, lit, 0, theme.edge, thin);
  if (lit) paintSet(ctx, view, picture, lit, 1, theme.accent, thin * 1.7);
}

function paintSet(
  ctx: CanvasRenderingContext2D,
  view: View,
  { drawing: { scene } }: Picture,
  lit: Uint8Array | null,
  wanted: number,
  colour: string,
  width: number,
): void {
  const arrows: number[] = [];
  ctx.beginPath();
  for (let arc = 0; arc < scene.arcSource.length; arc++) {
    if (lit ? byte(lit, arc) !== wanted : wanted === 1) continue;
    const k = arc * ARC_STRIDE;
    const x0 = real(scene.arcs, k);
    const y0 = real(scene.arcs, k + 1);
    const x2 = real(scene.arcs, k + 3);
    const y3 = real(scene.arcs, k + 5);
    if (
      y0 > view.bottom ||
      y3 < view.top ||
      Math.min(x0, x2) > view.right ||
      Math.max(x0, x2) < view.left
    )
      continue;
    trace(ctx, view, x0, y0, real(scene.arcs, k + 2), x2, real(scene.arcs, k + 4), y3);
    if (byte(scene.arcFlags, arc) & ArcFlag.LAST) arrows.push(arc);
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
  if (view.zoom >= LEAST_ARROW_ZOOM) paintArrows(ctx, scene, arrows, colour);
}

function trace(
  ctx: CanvasRenderingContext2D,
  view: View,
  x0: number,
  y0: number,
  y1: number,
  x2: number,
  y2: number,
  y3: number,
): void {
  ctx.moveTo(x0, y0);
  if (y1 > y0) ctx.lineTo(x0, y1);
  if (view.zoom < LEAST_CURVE_ZOOM || Math.abs(x2 - x0) < 0.5) ctx.lineTo(x2, y2);
  else {
    const middle = (y1 + y2) / 2;
    ctx.bezierCurveTo(x0, middle, x2, middle, x2, y2);
  }
  if (y3 > y2) ctx.lineTo(x2, y3);
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
