/** What boxes and groups have in common: being on screen, being marked. */

import { at, real } from '../core/arrays.js';
import type { Picture } from './picture.js';

/** The rectangle of the scene that is on screen. */
export interface View {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly zoom: number;
}

export function isOutside({ drawing: { scene } }: Picture, view: View, box: number): boolean {
  const x = real(scene.x, box);
  const y = real(scene.y, box);
  return (
    x > view.right ||
    y > view.bottom ||
    x + real(scene.w, box) < view.left ||
    y + real(scene.h, box) < view.top
  );
}

/** The border, thicker and coloured where a box is matched, hovered, selected or in focus. */
export function outline(
  ctx: CanvasRenderingContext2D,
  view: View,
  picture: Picture,
  box: number,
  plain: string,
): void {
  const item = at(picture.drawing.graph.item, box);
  const { theme } = picture;
  const onePixel = 1 / view.zoom;
  ctx.strokeStyle = plain;
  ctx.lineWidth = Math.max(1, onePixel * 0.8);
  if (picture.matched?.has(item)) mark(ctx, theme.match, 2 * Math.max(1, onePixel));
  else if (box === picture.hovered) mark(ctx, theme.accent, Math.max(1, onePixel));
  if (picture.selected.has(item)) mark(ctx, theme.accent, 2 * Math.max(1, onePixel));
  if (item === picture.focused) mark(ctx, theme.accent, 3 * Math.max(1, onePixel));
  ctx.stroke();
}

function mark(ctx: CanvasRenderingContext2D, colour: string, width: number): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
}
